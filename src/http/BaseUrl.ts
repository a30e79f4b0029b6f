import { Context } from "effect"
import type { PostId } from "../domain/ids.ts"

/** The URL at which clients reach the service, without a trailing slash. */
export class BaseUrl extends Context.Service<BaseUrl, string>()("social-publisher/http/BaseUrl") {}

export const postUrl = (baseUrl: string, id: PostId): string => `${baseUrl}/v1/posts/${id}`
