interface SettingOf<Kind extends string> {
  readonly kind: Kind
  readonly description: string
}

/** The description is the API's. */
export type Setting =
  | SettingOf<"text">
  | SettingOf<"texts">
  | SettingOf<"flag">
  | SettingOf<"url">
  | (SettingOf<"choice"> & {
      readonly label: string
      readonly choices: Readonly<Record<string, string>>
      /** If the platform documents it. */
      readonly default?: string
    })

/** They go to browsers, so they are plain values without imports. */
export interface Facts {
  readonly name: string
  /** In lower case. */
  readonly aliases: ReadonlyArray<string>
  /** A filled SVG path on a grid of 16. */
  readonly mark: string
  readonly settings: Readonly<Record<string, Setting>>
}

export interface LinkField {
  readonly label: string
  readonly hint: string
  /** Its description in a command's help. */
  readonly flag: string
  readonly isUrl?: true
  /** Filled in from a known account's name. */
  readonly isUsername?: true
  /** The words that unfold an optional field; required without them. */
  readonly unfold?: string
}

interface LinkFacts {
  /** Ends that access alone, or `all` access that the account gave this application. */
  readonly revokes: "own" | "all"
}

export interface FormFacts extends LinkFacts {
  readonly kind: "form"
  readonly fields: Readonly<Record<string, LinkField>>
  /** A command reads it from standard input. */
  readonly secret: { readonly name: string; readonly label: string; readonly hint: string }
}

/** A consent page of the platform: OAuth 2.0. */
export interface ConsentFacts extends LinkFacts {
  readonly kind: "consent"
  /** Its environment variable. */
  readonly application: string
  /** In words. */
  readonly codeLasts: string
}

export interface LiveFacts extends Facts {
  /**
   * The environment variables of the operator's own approved application. Only `ENABLE_PLATFORMS` enables the platform
   * then. Absent if it is live in every service.
   */
  readonly ownApplication?: ReadonlyArray<string>
  /** Without a trailing slash. */
  readonly site: string
  /** In URLs that people copy. */
  readonly hosts: ReadonlyArray<string>
  /** Group `key` names the post, group `account` its account if the path has it. */
  readonly postPath: RegExp
  readonly exampleUrl: string
  /** Stays valid after the account was renamed. */
  readonly lastingPath: (key: string, accountId: string) => string
  readonly profilePath: (username: string) => string
  /** Images are scaled down to this. */
  readonly image: { readonly longestSide: number; readonly maxBytes: number }
  /** For previews that imitate the platform. */
  readonly preview: {
    readonly mention: RegExp
    /** The URL may lack its scheme. */
    readonly shorten: (url: string) => string
  }
  /** Null if links have none. */
  readonly card: { readonly maxPictureBytes: number; readonly pictureTypes: ReadonlyArray<string> } | null
  readonly textUnit: string
  /** In UTF-16 code units. */
  readonly maxAlt: number
  /** A post is recognized by a key that the service chose, or by its text alone. */
  readonly recognizedBy: "key" | "text"
  /** If false, an account may have a host of its own. */
  readonly hasOneHost: boolean
  readonly link: FormFacts | ConsentFacts
}
