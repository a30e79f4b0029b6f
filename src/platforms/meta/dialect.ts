import type { Effect, Option, Redacted, Result } from "effect"
import type { RenewedAccess } from "../../domain/accounts/integration.ts"
import type { NeedsReauthorization, PlatformError } from "../../domain/publishing/platformError.ts"
import type { Call, PlatformResponse } from "../call.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import type { ContainerState } from "./container.ts"
import type { ContainerPostReader, ContainerPost } from "./prepared.ts"
import type { SentFile } from "./sentFile.ts"
import type { ListedPost } from "./timeline.ts"

export type Form = Readonly<Record<string, string>>

type Owner = Pick<AccountAccess, "accountId">

export interface Access {
  readonly accessToken: string
  /** The address of the API that takes the token, with its version. */
  readonly baseUrl: string
  /** The API's name, if a platform has several. Containers of one are unknown to the others. */
  readonly api?: string
  /** The address that takes the bytes of videos, by the container's id. Absent if the platform fetches all files. */
  readonly uploadUrl?: string
}

/** The differences between Meta's platforms that publish containers. */
export interface Dialect {
  readonly name: string
  /** Hours after which the platform forgets a container that was not published. */
  readonly containerHours: number
  readonly paths: {
    readonly create: (owner: Owner) => string
    readonly publish: (owner: Owner) => string
    /** The list that shows a post. */
    readonly list: (owner: Owner, post: Pick<ContainerPost, "kind" | "replyTo">) => string
    readonly lists: (owner: Owner) => ReadonlyArray<string>
  }
  readonly stateFields: string
  /** None if the response does not have the state of this container. */
  readonly stateIn: (container: string, response: PlatformResponse) => Option.Option<ContainerState>
  readonly listFields: string
  readonly readListed: (item: unknown) => Option.Option<ListedPost>
  /** The key and the address of a post, from its permalink. */
  readonly placeOf: (permalink: string) => { readonly key: string; readonly url: string } | undefined
  /** The form of a container that is one of several files of a post. */
  readonly childForm: (file: SentFile, url: string) => Form
  readonly readPost: ContainerPostReader
  readonly readAccess: (credentials: Redacted.Redacted) => Result.Result<Access, NeedsReauthorization>
  readonly renew: (call: Call, stale: Redacted.Redacted) => Effect.Effect<RenewedAccess, PlatformError>
}
