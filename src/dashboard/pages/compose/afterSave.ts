/** Pages that show what was saved among others. */
const overviews: ReadonlySet<string> = new Set(["/", "/posts", "/approvals"])

/**
 * Where a person goes after a post was saved: back where they came from, if that shows posts, or else to the post. What was
 * copied would not be seen on the page of its original.
 */
export const afterSave = (saved: string, from: string | undefined): string => {
  const [path = ""] = from?.split(/[?#]/) ?? []
  return from !== undefined && overviews.has(path) ? from : saved
}
