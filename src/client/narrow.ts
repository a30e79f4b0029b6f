import type { Event, Problem, ProblemCode } from "./contract.ts"
import { ApiError } from "./errors.ts"

/**
 * The types of the union `All` whose property `Member` can be `Word`. Leaves out the type for values of later versions.
 */
type WithWord<All, Member extends string, Word> = All extends unknown
  ? Member extends keyof All
    ? string extends All[Member]
      ? never
      : Word extends All[Member]
        ? All
        : never
    : never
  : never

export type EventOf<Type extends string> = WithWord<Event, "type", Type>

export type ProblemOf<Code extends string> = WithWord<Problem, "code", Code>

export const isCode = <Code extends ProblemCode>(
  error: unknown,
  code: Code
): error is ApiError & { readonly code: Code; readonly problem: ProblemOf<Code> } =>
  error instanceof ApiError && error.code === code

export const isEvent = <Type extends Event["type"]>(event: Event, type: Type): event is EventOf<Type> & Event =>
  event.type === type
