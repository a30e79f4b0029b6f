import { Context } from "effect"
import type { PostId } from "../domain/ids.ts"

/** The address that clients reach this service under, without a slash at its end. */
export class BaseUrl extends Context.Service<BaseUrl, string>()("social-publisher/http/BaseUrl") {}

/** The address of a post. */
export const postUrl = (baseUrl: string, id: PostId): string => `${baseUrl}/v1/posts/${id}`
