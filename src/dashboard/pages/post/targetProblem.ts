import { withPeriod } from "../../api/errors.ts"
import { mayBeOut, type PostTargetJson } from "../../api/postStatus.ts"
import { type Cursor, cursorOf } from "../../shared/threadState.ts"

type TargetError = NonNullable<PostTargetJson["error"]>

export interface TargetProblem {
  readonly text: string
  readonly step: "publish" | "reconnect" | "resolve" | "none"
  /** True if a person has to look at the platform and decide. */
  readonly mayBeOut: boolean
}

interface Names {
  readonly platform: string
  /** Such as `@acme`. */
  readonly account: string
}

interface Sentences {
  readonly message: string
  /** Names the platform but not the part. */
  readonly reason: string
}

type Described = Omit<TargetProblem, "mayBeOut">

const problems: Readonly<Record<TargetError["code"], (names: Names, said: Sentences) => Described>> = {
  outcome_unknown: ({ account, platform }) => ({
    text: `${platform} did not confirm this post. Look at ${account}, then publish it again if it isn’t there.`,
    step: "resolve"
  }),
  // The message says if the post may be published, and where.
  needs_reconnect: (_, { message }) => ({ text: `${message} Then publish what is missing.`, step: "reconnect" }),
  rejected: (_, { reason }) => ({
    text: `${reason} Publishing the same again is not likely to help. Change it in a copy.`,
    step: "none"
  }),
  gave_up: (_, { message }) => ({ text: message, step: "publish" }),
  missed: ({ platform }) => ({
    text: `Not published on ${platform}: the service was down at its time and for 24 hours after it.`,
    step: "publish"
  }),
  rate_limited: ({ platform }) => ({ text: `${platform} asks to wait. It is tried again by itself.`, step: "none" }),
  unavailable: (_, { reason }) => ({ text: `${reason} It is tried again by itself.`, step: "none" })
}

const namePart = ({ part, parts }: Cursor): string => `part ${part} of ${parts}`

interface PartNames extends Names {
  /** Such as `part 3 of 5`. */
  readonly part: string
}

const partProblems: Readonly<Partial<Record<TargetError["code"], (names: PartNames, said: Sentences) => Described>>> = {
  outcome_unknown: ({ account, part, platform }) => ({
    text: `${platform} did not confirm ${part}. Look at ${account}, then send it again if it isn’t there. What follows it waits.`,
    step: "resolve"
  }),
  rejected: ({ part }, { reason }) => ({
    text: `${capitalize(part)}: ${reason} Sending the same again is not likely to help. Move the rest to a new draft, and change it there.`,
    step: "none"
  }),
  missed: ({ part, platform }) => ({
    text: `${capitalize(part)} was not published on ${platform}: the service was down when it was due and for 24 hours after.`,
    step: "publish"
  })
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const describeTargetProblem = (target: PostTargetJson, names: Names): TargetProblem | undefined => {
  const { error, status } = target
  if (error === null || status === "published") return undefined
  const cursor = cursorOf(target)
  const message = withPeriod(error.message)
  const said = { message, reason: error.facts === undefined ? message : withPeriod(error.facts.reason) }
  const problem =
    (cursor === undefined ? undefined : partProblems[error.code]?.({ ...names, part: namePart(cursor) }, said)) ??
    problems[error.code](names, said)
  // If the target has not failed, the service still searches for the post, or will retry.
  return status === "failed"
    ? { ...problem, mayBeOut: mayBeOut(error) }
    : { text: message, step: "none", mayBeOut: false }
}
