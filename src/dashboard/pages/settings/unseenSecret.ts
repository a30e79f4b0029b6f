import { describeFailure, describeRest, type Failure, isUnconfirmed } from "../../api/errors.ts"

/** Advice if a change may have been made although the response, with a secret, was lost. */
const unseen = {
  agent:
    "An agent may have been connected whose key nobody has seen. If the list has it, revoke it, and connect another.",
  key: "A key may have been made that nobody has seen. If the list has it, revoke it, and make another.",
  replacedKey:
    "The key may have been replaced by one that nobody has seen. If the list has that, revoke it, and make another.",
  webhook:
    "A webhook may have been made whose secret nobody has seen. If the list has it, delete it, and make another.",
  replacedSecret:
    "A secret that nobody has seen may sign now, and the old one for 24 more hours. Replace it again, and give the receiver the new one right away.",
  invite:
    "An invitation may have been made whose link nobody has seen. If the list has it, take it back, and make another."
} as const

type Made = keyof typeof unseen

export const describeUnseen = (error: Failure, made: Made): string =>
  isUnconfirmed(error) ? `The service did not answer. ${unseen[made]}` : describeFailure(error)

/** Leaves out errors that fields show. */
export const describeUnseenRest = (
  error: Failure | undefined,
  made: Made,
  fields: ReadonlyArray<string>
): string | undefined =>
  error !== undefined && isUnconfirmed(error) ? describeUnseen(error, made) : describeRest(error, fields)
