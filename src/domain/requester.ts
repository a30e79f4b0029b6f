import { Context } from "effect"
import type { WorkspaceId } from "./ids.ts"

/** `unknown` sent no key or session yet, such as to log in. `several` share a statement. */
export type Requester = WorkspaceId | "unknown" | "several"

/** The caller for whom work runs. Undefined for the service's own work, such as publishing. */
export const CurrentRequester = Context.Reference<Requester | undefined>("social-publisher/CurrentRequester", {
  defaultValue: () => undefined
})
