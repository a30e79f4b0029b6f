import type { Event, Problem, ProblemCode } from "./contract.ts"
import { ApiError } from "./errors.ts"

/** Those members of a union whose member has this word; the union may have one for words of later versions. */
type WithWord<All, Member extends string, Word> = All extends unknown
  ? Member extends keyof All
    ? string extends All[Member]
      ? never
      : Word extends All[Member]
        ? All
        : never
    : never
  : never

/** The events of a type. */
export type EventOf<Type extends string> = WithWord<Event, "type", Type>

/** The problems with a code. */
export type ProblemOf<Code extends string> = WithWord<Problem, "code", Code>

/** Whether a call failed with a problem of this code, whose members `problem` has. */
export const isCode = <Code extends ProblemCode>(
  error: unknown,
  code: Code
): error is ApiError & { readonly code: Code; readonly problem: ProblemOf<Code> } =>
  error instanceof ApiError && error.code === code

/** Whether an event is of this type, whose `data` it has. */
export const isEvent = <Type extends Event["type"]>(event: Event, type: Type): event is EventOf<Type> & Event =>
  event.type === type
