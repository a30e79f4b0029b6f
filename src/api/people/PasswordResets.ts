import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { maxEmailLength, NewPassword } from "../../domain/people/session.ts"
import { Text } from "../../domain/posts/text/publishableText.ts"
import { dataOf } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import { publicOperation } from "../operation.ts"
import { RateLimited, shown, Unavailable } from "../problems.ts"

const RequestReset = Schema.Struct({
  email: Text.check(Schema.isMaxLength(maxEmailLength)).annotateKey({ description: "The user's email address." })
})
  .annotate({ identifier: "RequestPasswordReset", description: "Whose password was forgotten." })
  .pipe(examples({ request: { email: "ada@acme.example" } }))

const RequestedReset = dataOf("The response, which is the same for an unknown address.", {
  accepted: Schema.Literal(true).annotateKey({ description: "Always true." })
})
  .annotate({
    identifier: "RequestedPasswordReset",
    description: "If a user has the address, a link is mailed to it."
  })
  .pipe(examples({ accepted: { data: { accepted: true } } }))

const UseReset = Schema.Struct({
  token: Text.check(Schema.isMaxLength(200)).annotateKey({
    description: "The secret of the link: what follows `#` in it."
  }),
  password: NewPassword.annotateKey({ description: "The new password, of 12 to 1024 characters." })
})
  .annotate({ identifier: "UsePasswordReset", description: "The link, and the new password." })
  .pipe(
    examples({
      use: { token: "mRr0vJ1fXw2k8bQe5nT7yA3cLz6hPd9sUgIoVxKqZ4E", password: "another long and secret sentence" }
    })
  )

const UsedReset = dataOf("The change.", {
  changed: Schema.Literal(true).annotateKey({ description: "Always true." })
})
  .annotate({ identifier: "UsedPasswordReset", description: "The password was changed." })
  .pipe(examples({ changed: { data: { changed: true } } }))

const request = HttpApiEndpoint.post("request", "/", {
  payload: RequestReset,
  success: RequestedReset.pipe(HttpApiSchema.status(202)),
  error: [shown.InvalidState, RateLimited, Unavailable]
})
  .annotateMerge(
    publicOperation({
      id: "requestPasswordReset",
      summary: "Ask for another password",
      description:
        "Mails a link to the address, with which its user chooses another password, once and within an hour. The response and its time do not depend on whether there is such a user. Requests are limited by the client's address, and a user gets at most one link a minute and three an hour. Fails with `invalid_state` if the service sends no mail."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const use = HttpApiEndpoint.post("use", "/use", {
  payload: UseReset,
  success: UsedReset,
  error: [shown.NotFound, RateLimited, Unavailable]
})
  .annotateMerge(
    publicOperation({
      id: "usePasswordReset",
      summary: "Choose another password",
      description:
        "Uses up the link, changes the user's password and ends all of their sessions; log in with the new password. Requests with unknown links are limited by the client's address."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

export class PasswordResetGroup extends HttpApiGroup.make("passwordResets")
  .add(request, use)
  .prefix("/v1/password-resets")
  .annotateMerge(
    OpenApi.annotations({
      title: "Forgotten passwords",
      description: "Links with which people choose another password."
    })
  ) {}
