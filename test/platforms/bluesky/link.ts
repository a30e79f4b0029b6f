import type { Redacted } from "effect"
import { makeBlueskyLink } from "../../../src/platforms/bluesky/link.ts"

const link = makeBlueskyLink({ defaultServiceUrl: "https://bsky.social", webUrl: "https://bsky.app" }, "live")

/** Links an account of the given service. */
export const linkBluesky = ({
  guarded = false,
  password,
  ...login
}: {
  readonly service: string
  readonly identifier: string
  readonly password: Redacted.Redacted
  readonly guarded?: boolean
}) => link.logIn({ ...login, app_password: password }, { guarded })

/** Ends a session at the given service. */
export const unlinkBluesky = ({
  credentials,
  service
}: {
  readonly service: string
  readonly credentials: Redacted.Redacted
}) => link.revoke({ serviceUrl: service, credentials })
