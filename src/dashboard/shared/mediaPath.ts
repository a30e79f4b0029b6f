export const mediaPath = (id: string, part: "content" | "thumbnail"): string =>
  `/v1/media/${encodeURIComponent(id)}/${part}`
