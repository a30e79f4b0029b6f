import { request } from "./client.ts"
import { query } from "./query.ts"

/** The service says so, where it is a sandbox that nobody else can reach. */
export const offersDemo = document.querySelector('meta[name="demo"]') !== null

interface Examples {
  readonly data: { readonly workspace_id: string | null; readonly posts: number }
}

/** How many example posts the demo's workspace has. In the demo alone. */
export const examples = query<Examples>("/sandbox/examples")

/** Removes the example posts of the demo. */
export const removeExamples = () => request<{ readonly data: { readonly deleted: number } }>("DELETE", examples.path)
