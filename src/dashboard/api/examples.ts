import { request } from "./client.ts"
import { query } from "./query.ts"

/** True in the demo, which only this computer can reach. */
export const offersDemo = document.querySelector('meta[name="demo"]') !== null

interface Examples {
  readonly data: { readonly workspace_id: string | null; readonly posts: number }
}

/** Exists only in the demo. */
export const examples = query<Examples>("/sandbox/examples")

export const removeExamples = () => request<{ readonly data: { readonly deleted: number } }>("DELETE", examples.path)
