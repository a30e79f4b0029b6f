import { describeFailure, describeRest, type Failure, isUnconfirmed } from "../../api/errors.ts"

/** What may have been made although no answer told its secret, and what to do then. */
const unseen = {
  agent:
    "An agent may have been connected whose key nobody has seen. If the list has it, revoke it, and connect another.",
  key: "A key may have been made that nobody has seen. If the list has it, revoke it, and make another.",
  replacedKey:
    "The key may have been replaced by one that nobody has seen. If the list has that, revoke it, and make another.",
  webhook:
    "A webhook may have been made whose secret nobody has seen. If the list has it, delete it, and make another.",
  replacedSecret:
    "A secret that nobody has seen may sign now, and the one before for 24 hours more. Replace it again, and give the receiver that one at once.",
  invite:
    "An invitation may have been made whose link nobody has seen. If the list has it, take it back, and make another."
} as const

type Made = keyof typeof unseen

/** What went wrong with a change whose answer has a secret, which is shown once. */
export const describeUnseen = (error: Failure, made: Made): string =>
  isUnconfirmed(error) ? `The service did not answer. ${unseen[made]}` : describeFailure(error)

/** The same besides what stands beside the fields of a form. */
export const describeUnseenRest = (
  error: Failure | undefined,
  made: Made,
  fields: ReadonlyArray<string>
): string | undefined =>
  error !== undefined && isUnconfirmed(error) ? describeUnseen(error, made) : describeRest(error, fields)
