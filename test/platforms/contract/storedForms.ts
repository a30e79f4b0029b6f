import { assert } from "@effect/vitest"
import { Result } from "effect"
import type { Prepared } from "../../../src/platforms/PlatformClient.ts"
import type { OpenAccess } from "../../../src/platforms/steps.ts"
import { accessOf, adapterOf, type Conformance, now } from "./conformance.ts"
import { sentText } from "./texts.ts"

/** Reads a value back as from a JSON column, which does not keep the order of members. */
export const readBack = (prepared: Prepared): Prepared =>
  JSON.parse(JSON.stringify(prepared), (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toReversed())
      : value
  )

/** Values that no member of a form may have. */
const values: ReadonlyArray<Prepared> = [null, 7, true]

/** Forms of a prepared post that this version can't know. Each has one member of another kind, or is no form at all. */
export const unknownForms = (prepared: Prepared): ReadonlyArray<Prepared> => [
  ...values,
  "other",
  [],
  {},
  ...Object.keys(Object(prepared)).flatMap((name) =>
    values.map((value): Prepared => ({ ...Object(prepared), [name]: value }))
  ),
  { ...Object(prepared), version: 2 },
  { ...Object(prepared), _tag: "AnotherPost" }
]

/** The forms of a prepared post that lack one member. */
const incompleteForms = (prepared: Prepared): ReadonlyArray<Prepared> =>
  Object.keys(Object(prepared)).map((name): Prepared =>
    Object.fromEntries(Object.entries<Prepared>(Object(prepared)).filter(([member]) => member !== name))
  )

/** The tag of the error if a send ends before its first request; otherwise the tag of its first step. */
export const startOf = (platform: Conformance, prepared: Prepared, access: OpenAccess = accessOf(platform)): string => {
  const step = adapterOf(platform).send(prepared, access, now)
  return step._tag === "End" && Result.isFailure(step.result) ? step.result.failure._tag : step._tag
}

/** Checks that a form that lacks a member is either refused or sent with the same text. */
export const checkIncomplete = (platform: Conformance, prepared: Prepared) => {
  const text = sentText(platform, prepared)
  for (const form of incompleteForms(prepared)) {
    if (startOf(platform, form) !== "Rejected") assert.strictEqual(sentText(platform, form), text, JSON.stringify(form))
  }
}
