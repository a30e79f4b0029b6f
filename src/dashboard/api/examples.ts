import { request } from "./client.ts"
import { query } from "./query.ts"

/** Whether the service is a sandbox that nobody else can reach, and says so. */
export const offersDemo = document.querySelector('meta[name="demo"]') !== null

interface Examples {
  readonly data: { readonly workspace_id: string | null; readonly posts: number }
}

/** How many example posts the demo's workspace has. Other services have no such path. */
export const examples = query<Examples>("/sandbox/examples")

export const removeExamples = () => request<{ readonly data: { readonly deleted: number } }>("DELETE", examples.path)
