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
      /** The names of its values in a form. */
      readonly choices: Readonly<Record<string, string>>
      /** The value that a post without this setting has, if the platform documents it. */
      readonly default?: string
    })

/** The facts of a platform that the contract names. They go to browsers, so they are plain values without imports. */
export interface Facts {
  /** The name that people know it by. */
  readonly name: string
  /** Other names that people call it by, in lower case. */
  readonly aliases: ReadonlyArray<string>
  /** Its mark as a filled SVG path, on a grid of 16. */
  readonly mark: string
  /** The settings of a post there, by their name in the API. */
  readonly settings: Readonly<Record<string, Setting>>
}

/** A field of the form that connects an account. */
export interface LinkField {
  readonly label: string
  readonly hint: string
  /** Its description in a command's help. */
  readonly flag: string
  readonly isUrl?: true
  /** The form of a known account begins with that account's name here. */
  readonly isUsername?: true
  /** The words that unfold an optional field. A field without them is required. */
  readonly unfold?: string
}

interface LinkFacts {
  /** Ending an access ends that access alone, or all access that the account gave this application. */
  readonly revokes: "own" | "all"
}

/** Accounts are connected by a form. */
export interface FormFacts extends LinkFacts {
  readonly kind: "form"
  /** The fields that a person fills in, by their names in the API. */
  readonly fields: Readonly<Record<string, LinkField>>
  /** The secret that goes with them. A command reads it from standard input. */
  readonly secret: { readonly name: string; readonly label: string; readonly hint: string }
}

/** Accounts are connected on a consent page of the platform: OAuth 2.0. */
export interface ConsentFacts extends LinkFacts {
  readonly kind: "consent"
  /** The environment variable that names the operator's application. */
  readonly application: string
  /** The lifetime of the code that a consent brings, in words. */
  readonly codeLasts: string
}

/** The facts of a platform that has an adapter here. */
export interface LiveFacts extends Facts {
  /**
   * The environment variables of the operator's own approved application. A platform that has them is in platform review for
   * everybody else, so that only `ENABLE_PLATFORMS` enables it. Absent if the platform is live in every service.
   */
  readonly ownApplication?: ReadonlyArray<string>
  /** The site where people see posts, without a slash at the end. */
  readonly site: string
  /** The hosts of the site, in URLs that people copy. */
  readonly hosts: ReadonlyArray<string>
  /** The path of a post on the site. Group `key` names the post, group `account` its account if the path has it. */
  readonly postPath: RegExp
  /** A post's URL to show as an example. */
  readonly exampleUrl: string
  /** The path of a post that stays valid after the account was renamed. */
  readonly lastingPath: (key: string, accountId: string) => string
  /** The path of an account's page. */
  readonly profilePath: (username: string) => string
  /** The size that images are scaled to: the longest side in pixels, and bytes. */
  readonly image: { readonly longestSide: number; readonly maxBytes: number }
  /** A preview imitates the platform by these. */
  readonly preview: {
    readonly mention: RegExp
    /** The text that a link is shown as. The address may lack its scheme. */
    readonly shorten: (url: string) => string
  }
  /** The card that the first link of a text is shown as; null if there is none. */
  readonly card: { readonly maxPictureBytes: number; readonly pictureTypes: ReadonlyArray<string> } | null
  /** The unit in which the platform counts a text. */
  readonly textUnit: string
  /** The longest alternative text in UTF-16 code units. */
  readonly maxAlt: number
  /** The service recognizes a post that it sent by a key that it chose, or by the text alone. */
  readonly recognizedBy: "key" | "text"
  /** True if one host serves all accounts. Otherwise an account may have a host of its own. */
  readonly hasOneHost: boolean
  /** The way to connect an account. */
  readonly link: FormFacts | ConsentFacts
}
