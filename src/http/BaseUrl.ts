import { Context } from "effect"

export class BaseUrl extends Context.Service<BaseUrl, string>()("social-publisher/http/BaseUrl") {}
