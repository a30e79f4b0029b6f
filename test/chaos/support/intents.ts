/** What a client wants of a post since a request of it. */
export interface Intent {
  /** When the request was first sent, in milliseconds since 1970. */
  readonly at: number
  /** When its success was acknowledged; undefined where no response arrived, so that it may have taken effect or not. */
  acknowledgedAt: number | undefined
  /** From when it may be published; null where it may not, because it is a draft or deleted. */
  readonly due: number | null
  /** Null where it is deleted. */
  readonly text: string | null
}

/** A post of a client, with all that was requested of it. */
export interface TrackedPost {
  readonly number: number
  /** How many files it carries. */
  readonly files: number
  readonly intents: Array<Intent>
}

/** Whether some intent that may have been in effect at that moment allows a post with this text to be published. */
export const isAllowed = ({ intents }: TrackedPost, text: string, at: number): boolean =>
  intents.some(
    (intent, index) =>
      intent.at <= at &&
      intent.text === text &&
      intent.due !== null &&
      intent.due <= at &&
      !intents.slice(index + 1).some(({ acknowledgedAt }) => acknowledgedAt !== undefined && acknowledgedAt < at)
  )

/** What must have become of a post in the end; undefined where a request without a response leaves it open. */
export const finalIntent = ({ intents }: TrackedPost): Intent | undefined => {
  const last = intents.at(-1)
  return last?.acknowledgedAt === undefined ? undefined : last
}
