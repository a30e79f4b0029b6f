// The build replaces this file by the types of the OpenAPI document. The client's own code needs only these.
import type { Answer, Pages } from "./answers.ts"

export interface Post {
  readonly revision: number
  readonly status: string
}

export interface Media {
  readonly status: string
}

export interface WebhookTestEvent {
  readonly type: "webhook.test"
}

export interface OtherEvent {
  readonly type: string
}

export type Event = WebhookTestEvent | OtherEvent

export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

export type Problem = Readonly<Record<string, unknown>>

export type ProblemCode = string

/** A problem's code. Includes `unknown`, for responses from a proxy, and codes of later versions. */
export type AnyCode = string

type Method = (...args: ReadonlyArray<unknown>) => Answer<unknown> | Pages<unknown, unknown>

export type Resources = Readonly<Record<string, Readonly<Record<string, Method>>>>

/** Operations by resource and name. Each is a text with the verb, path, parameters and kind of result. */
export const operations: Readonly<Record<string, Readonly<Record<string, string>>>> = {}
