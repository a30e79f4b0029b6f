import { operations, type Resources } from "./contract.ts"
import { makeMethod } from "./method.ts"
import { checkOptions, type ClientOptions } from "./options.ts"
import { type MediaSteps, mediaSteps, type Methods, type PostSteps, postSteps } from "./steps.ts"

export type SocialPublisher = Resources & {
  readonly posts: PostSteps
  readonly media: MediaSteps
  /** Omits the key, so that a logged client does not reveal it. */
  readonly toJSON: () => { readonly baseUrl: string }
}

const warnInBrowsers = () => {
  if (!("document" in globalThis)) return
  // Warns the author of a web page, who may not know that visitors can read the key.
  // oxlint-disable-next-line no-console
  console.warn("social-publisher-client: whoever opens this page can read its API key")
}

export class TableClient {
  readonly #baseUrl: string

  constructor(table: typeof operations, options: ClientOptions) {
    const settings = checkOptions(options)
    warnInBrowsers()
    this.#baseUrl = settings.base
    const resources = Object.fromEntries(
      Object.entries(table).map(([name, texts]): [string, Methods] => [
        name,
        Object.fromEntries(Object.entries(texts).map(([method, text]) => [method, makeMethod(text, settings)]))
      ])
    )
    const { media = {}, posts = {} } = resources
    Object.assign(this, {
      ...resources,
      posts: { ...posts, ...postSteps(posts, settings) },
      media: { ...media, ...mediaSteps(media, settings) }
    })
  }

  toJSON() {
    return { baseUrl: this.#baseUrl }
  }
}

class Client extends TableClient {
  constructor(options: ClientOptions) {
    super(operations, options)
  }
}

// The assertion is safe: the types and the table from which methods are made come from the same OpenAPI document.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const SocialPublisher = Client as unknown as new (options: ClientOptions) => SocialPublisher
