interface PlainSetting<Kind extends string> {
  readonly kind: Kind
  readonly description: string
}

/** A setting of a post on one platform. The description is the API's. */
export type Setting =
  | PlainSetting<"text">
  | PlainSetting<"texts">
  | PlainSetting<"flag">
  | PlainSetting<"url">
  | (PlainSetting<"choice"> & {
      /** Its name in a form. */
      readonly label: string
      /** Its values, with their names in a form. */
      readonly choices: Readonly<Record<string, string>>
      /** The value without this setting, if the platform documents it. */
      readonly default?: string
    })

/** A platform's facts. They go to browsers, so they are plain values without imports. */
export interface Facts {
  readonly name: string
  /** Other names that people use, in lower case. */
  readonly aliases: ReadonlyArray<string>
  /** A filled SVG path on a grid of 16. */
  readonly mark: string
  /** A post's settings, by their API names. */
  readonly settings: Readonly<Record<string, Setting>>
}

/** A field of the form that connects an account. */
export interface LinkField {
  readonly label: string
  readonly hint: string
  /** Its description in a command's help. */
  readonly flag: string
  readonly isUrl?: true
  /** Filled in from a known account's name. */
  readonly isUsername?: true
  /** The words that unfold an optional field. Without them it is required. */
  readonly unfold?: string
}

interface LinkFacts {
  /** `own`: revoking ends that access alone. `all`: it ends all access that the account gave this application. */
  readonly revokes: "own" | "all"
}

export interface FormFacts extends LinkFacts {
  readonly kind: "form"
  /** The fields by their API names. */
  readonly fields: Readonly<Record<string, LinkField>>
  /** The secret; a command reads it from standard input. */
  readonly secret: { readonly name: string; readonly label: string; readonly hint: string }
}

/** A consent page of the platform: OAuth 2.0. */
export interface ConsentFacts extends LinkFacts {
  readonly kind: "consent"
  /** The environment variable that names the operator's application. */
  readonly application: string
  /** The lifetime of a consent's code, in words. */
  readonly codeLasts: string
}

/** The facts of a platform with an adapter. */
export interface LiveFacts extends Facts {
  /**
   * The environment variables of the operator's own approved application. Without it the platform is in review, so only
   * `ENABLE_PLATFORMS` enables it. Absent if the platform is live in every service.
   */
  readonly ownApplication?: ReadonlyArray<string>
  /** The site that shows posts, without a trailing slash. */
  readonly site: string
  /** The site's hosts, in URLs that people copy. */
  readonly hosts: ReadonlyArray<string>
  /** The path of a post: group `key` names the post, group `account` its account if the path has it. */
  readonly postPath: RegExp
  readonly exampleUrl: string
  /** A post's path that stays valid after the account was renamed. */
  readonly lastingPath: (key: string, accountId: string) => string
  readonly profilePath: (username: string) => string
  /** Images are scaled to this longest side in pixels and this size. */
  readonly image: { readonly longestSide: number; readonly maxBytes: number }
  /** For previews that imitate the platform. */
  readonly preview: {
    readonly mention: RegExp
    /** The text shown for a link. The address may lack its scheme. */
    readonly shorten: (url: string) => string
  }
  /** The card for a text's first link; null if there is none. */
  readonly card: { readonly maxPictureBytes: number; readonly pictureTypes: ReadonlyArray<string> } | null
  /** The unit of text lengths. */
  readonly textUnit: string
  /** The longest alternative text in UTF-16 code units. */
  readonly maxAlt: number
  /** A post that this service sent is recognized by a key that it chose, or by the text alone. */
  readonly recognizedBy: "key" | "text"
  /** True if one host serves all accounts. If false, an account may have a host of its own. */
  readonly hasOneHost: boolean
  readonly link: FormFacts | ConsentFacts
}
