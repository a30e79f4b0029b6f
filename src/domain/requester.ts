import { Context } from "effect"
import type { WorkspaceId } from "./ids.ts"

/** `unknown` sent no key or session, or it was not looked up yet. `several` share a statement. */
export type Requester = WorkspaceId | "unknown" | "several"

/**
 * The caller for whom work runs. Undefined for the service's own work, such as publishing. A request is of an `unknown`
 * caller until it is authenticated.
 */
export const CurrentRequester = Context.Reference<Requester | undefined>("social-publisher/CurrentRequester", {
  defaultValue: () => undefined
})
