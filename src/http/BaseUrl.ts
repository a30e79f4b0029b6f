import { Context } from "effect"

/** The URL at which clients reach the service, without a trailing slash. */
export class BaseUrl extends Context.Service<BaseUrl, string>()("social-publisher/http/BaseUrl") {}
