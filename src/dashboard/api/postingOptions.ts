import type { OnePostingOptions } from "../../api/accounts/integrationBodies.ts"

export type PostingOptionsJson = (typeof OnePostingOptions.Encoded)["data"]
