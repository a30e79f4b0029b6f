/** Where a file of the library is, whole or as a small picture. */
export const mediaPath = (id: string, part: "content" | "thumbnail"): string =>
  `/v1/media/${encodeURIComponent(id)}/${part}`
