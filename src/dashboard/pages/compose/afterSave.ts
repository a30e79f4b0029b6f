/** Pages that show the saved post among others. */
const overviews: ReadonlySet<string> = new Set(["/", "/posts", "/approvals"])

/**
 * Returns to where the person came from if that lists posts, or else to the post. A copy would not be seen on its
 * original's page.
 */
export const afterSave = (saved: string, from: string | undefined): string => {
  const [path = ""] = from?.split(/[?#]/) ?? []
  return from !== undefined && overviews.has(path) ? from : saved
}
