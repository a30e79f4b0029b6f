const site = "https://replica.example/"

/**
 * The `PUBLIC_URL` of a replica. Platforms fetch files only from public hosts, so the address is made up; its path names
 * the replica's port.
 */
export const publicUrlOf = (url: string): string => `${site}${new URL(url).port}`

const inForms = new RegExp(`${encodeURIComponent(site).replaceAll(".", "\\.")}(\\d+)`, "g")

/** Replaces the public addresses in the body of a form by the replicas' own addresses. */
export const reachable = (form: string): string =>
  form.replaceAll(inForms, (_, port: string) => encodeURIComponent(`http://127.0.0.1:${port}`))
