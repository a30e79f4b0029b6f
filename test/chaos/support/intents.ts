/** The state of a post that a client requests. */
export interface Intent {
  /** The time of the first attempt of the request, in milliseconds since 1970. */
  readonly at: number
  /**
   * The time of the acknowledgment. Undefined if no response arrived; the request may then have taken effect or not.
   */
  acknowledgedAt: number | undefined
  /** The time from which the post may be published; null if it is a draft or deleted. */
  readonly due: number | null
  /** Null if the post is deleted. */
  readonly text: string | null
}

/** A client's post with everything that was requested of it. */
export interface TrackedPost {
  readonly number: number
  readonly files: number
  readonly intents: Array<Intent>
}

/** True if an intent that may have been in effect at that moment allows a post with this text to be published. */
export const isAllowed = ({ intents }: TrackedPost, text: string, at: number): boolean =>
  intents.some(
    (intent, index) =>
      intent.at <= at &&
      intent.text === text &&
      intent.due !== null &&
      intent.due <= at &&
      !intents.slice(index + 1).some(({ acknowledgedAt }) => acknowledgedAt !== undefined && acknowledgedAt < at)
  )

/** The state that a post must have in the end; undefined if a request without a response leaves it open. */
export const finalIntent = ({ intents }: TrackedPost): Intent | undefined => {
  const last = intents.at(-1)
  return last?.acknowledgedAt === undefined ? undefined : last
}
