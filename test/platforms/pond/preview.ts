import type { Preview } from "../../../src/platforms/Platform.ts"

export const pond = { mention: /(?<![\p{L}\p{N}_~])~[a-z]+(?![\p{L}\p{N}_])/u, shorten: (url) => url } satisfies Preview
