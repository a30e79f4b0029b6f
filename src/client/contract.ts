// What the OpenAPI document says. The build puts what it reads there in the place of this file, so that the client's own code
// needs no more of the contract than is here.
import type { Answer, Pages } from "./answers.ts"

/** What the client itself reads of a post. */
export interface Post {
  readonly revision: number
  readonly status: string
}

/** What the client itself reads of a file. */
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

/** The body of an error. */
export type Problem = Readonly<Record<string, unknown>>

export type ProblemCode = string

/** Also `unknown`, where a response is not the service's, and the words of later versions. */
export type AnyCode = string

type Method = (...args: ReadonlyArray<unknown>) => Answer<unknown> | Pages<unknown, unknown>

/** What can be called, by resource and name. */
export type Resources = Readonly<Record<string, Readonly<Record<string, Method>>>>

/** The operations by resource and name: verb, path, what it takes, and what a call gets. */
export const operations: Readonly<Record<string, Readonly<Record<string, string>>>> = {}
