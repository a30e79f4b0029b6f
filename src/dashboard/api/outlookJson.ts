import type { OutlookResponse } from "../../api/posts/Outlook.ts"

export type OutlookJson = (typeof OutlookResponse.Encoded)["data"]
export type OutlookPostJson = OutlookJson["posts"][number]
export type FindingJson = OutlookPostJson["findings"][number]
