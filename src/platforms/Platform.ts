interface SettingOf<Kind extends string> {
  readonly kind: Kind
  readonly description: string
}

/** The picture at a setting's URL, which is fetched and kept when the post is scheduled. */
export interface PictureRule {
  /** The setting of the kind "kept" that has the picture. */
  readonly keptAs: string
  readonly contentTypes: ReadonlyArray<string>
  readonly maxBytes: number
  /** A larger picture is made smaller. */
  readonly longestSide: number
}

/** The form for posts shows a setting that has a label, and a hint under it. */
interface Shown {
  readonly label?: string
  readonly hint?: string
}

/** `description` appears in the API reference. */
export type Setting =
  /** `expected` says what fits the pattern, as in "a number". */
  | (SettingOf<"text"> & Shown & { readonly pattern?: RegExp; readonly expected?: string })
  /** The form for posts shows them as one text with commas. */
  | (SettingOf<"texts"> & Shown)
  | (SettingOf<"flag"> & Pick<Shown, "label">)
  | (SettingOf<"url"> & Shown & { readonly picture?: PictureRule })
  /** Set by the service, and ignored in requests. */
  | SettingOf<"kept">
  | (SettingOf<"choice"> & {
      readonly label: string
      readonly choices: Readonly<Record<string, string>>
      readonly default?: string
    })

/** A platform's own settings of a post, by name. */
export type Settings = Readonly<Record<string, Setting>>

/** Browsers get these facts, so they are plain values without imports. */
export interface Facts {
  readonly name: string
  /** In lower case. */
  readonly aliases: ReadonlyArray<string>
  /** A filled SVG path on a grid of 16. */
  readonly mark: string
}

export interface LinkField {
  readonly label: string
  readonly hint: string
  /** The field's description in a command's help. */
  readonly flag: string
  readonly isUrl?: true
  /** True if a known account's name fills the field in. */
  readonly isUsername?: true
  /** The text that people click to show an optional field. Without it, the field is required. */
  readonly unfold?: string
}

interface LinkFacts {
  /**
   * Disconnecting revokes this access alone (`own`), or `all` access that the account gave this application. With
   * `none`, the platform has no way to revoke access, which stays valid until it ends by itself.
   */
  readonly revokes: "own" | "all" | "none"
  /** True if access that is not renewed for weeks ends for good. It is then renewed without a post, too. */
  readonly isRenewedIdle?: true
}

export interface FormFacts extends LinkFacts {
  readonly kind: "form"
  readonly fields: Readonly<Record<string, LinkField>>
  /** A command reads the secret from standard input. */
  readonly secret: { readonly name: string; readonly label: string; readonly hint: string }
}

export interface ConsentFacts extends LinkFacts {
  readonly kind: "consent"
  /** The application's environment variable. */
  readonly application: string
  /** The time for the decision after the consent, in words. The request for it lasts 15 minutes at most. */
  readonly codeLasts: string
  /** True if one consent can give access to several accounts, of which a person chooses one. */
  readonly choosesAccount?: true
}

/** Where a limit of a platform stands, and when it was last compared. */
export interface LimitSource {
  /** A page with its version, a package with its version, or "reported" for third parties. */
  readonly source: string
  /** Such as 2026-11-29. */
  readonly checked: string
}

/** The facts that only previews of posts need. */
export interface Preview {
  /** False if a post with these settings of the platform has no text. Absent if every post has its text. */
  readonly showsText?: (settings: Readonly<Record<string, unknown>>) => boolean
  /** The setting whose text, unless it is blank, takes the place of the post's. Absent if no setting does that. */
  readonly textSetting?: string
  /** The title of a post with these settings of the platform. Absent if posts have none. */
  readonly title?: (settings: Readonly<Record<string, unknown>>) => string
  readonly mention: RegExp
  /** The mention as people see it. As it is written by default. */
  readonly shownMention?: (mention: string) => string
  /** The URL may lack its scheme. */
  readonly shorten: (url: string) => string
  /**
   * Matches the links that the platform makes, each with the character before it and the punctuation after it. Absent
   * if the platform makes all links that people write.
   */
  readonly linked?: RegExp
  /** True if only the first hashtag is a link: the post's topic, which is shown without its `#`. */
  readonly hasTopic?: true
  /** A text that is longer than one of these shows its beginning and a button for the rest. */
  readonly fold?: { readonly characters: number; readonly lines: number }
  /** The order of several files: all in a row, or four with the first one large. A grid of two columns by default. */
  readonly grid?: "row" | "first-large"
}

export interface LiveFacts extends Facts {
  /**
   * The environment variables of the operator's own approved application. If present, only `ENABLE_PLATFORMS` enables
   * the platform. Absent if it is live in every service.
   */
  readonly ownApplication?: ReadonlyArray<string>
  /** The environment variables of another application, which serves a platform without the first one. */
  readonly otherApplication?: ReadonlyArray<string>
  /** The address of the platform's site, without a trailing slash. */
  readonly site: string
  /** Hosts of post URLs that people copy. */
  readonly hosts: ReadonlyArray<string>
  /** Group `key` is the post's key. Group `account` is its account, if the path contains it. */
  readonly postPath: RegExp
  /** The parameter of a post's URL that has its key, if the path alone does not tell the post. */
  readonly keyParameter?: string
  readonly exampleUrl: string
  /** A post's path, which stays valid if the account is renamed. */
  readonly lastingPath: (key: string, accountId: string) => string
  readonly profilePath: (username: string) => string
  /** Images are scaled down to these limits. */
  readonly image: {
    readonly longestSide: number
    readonly maxBytes: number
    readonly takesWebp?: false
    readonly takesOnlyJpeg?: true
  }
  /** True if the platform takes no bytes, but fetches files from this service. */
  readonly fetchesFiles?: true
  /** Null if links have no card. */
  readonly card: {
    readonly maxPictureBytes: number
    readonly pictureTypes: ReadonlyArray<string>
    /** The path on `hosts` of something that a post quotes in place of a card. */
    readonly quotedPath: RegExp
  } | null
  readonly textUnit: string
  /** In `altUnit`. */
  readonly maxAlt: number
  /** The unit in which the platform counts alternative texts. */
  readonly altUnit: "graphemes" | "code points"
  /** A post is recognized by a key that the service chose, or by its text alone. */
  readonly recognizedBy: "key" | "text"
  /** True if each post has a file. */
  readonly needsFiles?: true
  /** True if that file is a video, because the platform takes no pictures. */
  readonly needsVideo?: true
  /** A sentence that the platform wants people to read before they publish there. */
  readonly terms?: string
  /** True if accounts differ in what they may choose for a post, so that the form for posts asks the platform. */
  readonly asksOptions?: true
  /** False if accounts have names but no handles. True by default. */
  readonly handles?: false
  /** False if the platform has no threads. True by default. */
  readonly threads?: false
  /** False if access ends for good, so that a person has to connect the account again. True by default. */
  readonly renewsAccess?: false
  /** If false, an account may have a host of its own. */
  readonly hasOneHost: boolean
  readonly link: FormFacts | ConsentFacts
}
