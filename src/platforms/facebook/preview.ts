import type { Preview } from "../Platform.ts"

export const facebook = { mention: /^(?!)/, shorten: (url) => url } satisfies Preview
