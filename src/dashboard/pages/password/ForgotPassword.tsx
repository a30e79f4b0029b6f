import { useState } from "preact/hooks"
import { describeFailure, describeWait, type Failure, hasCode } from "../../api/errors.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { requestPassword } from "../../api/passwords.ts"
import { useMutation } from "../../api/query.ts"
import { CardPage } from "../../shared/page/CardPage.tsx"
import { Link } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { LogInEmailField } from "../../ui/controls/TextField.tsx"

const describe = (error: Failure): string => {
  if (hasCode(error, "invalid_state")) return "This service sends no mail. Ask an operator for another password."
  if (error._tag === "ApiError" && error.status === 429) {
    return `Too many passwords were asked for from your address. Try again in ${describeWait(error.retryAfter ?? 60)}.`
  }
  return describeFailure(error)
}

export const ForgotPassword = () => {
  const [email, setEmail] = useState("")
  const [isSent, setSent] = useState(false)
  const { error, isPending, run } = useMutation(requestPassword)
  const ask = async () => {
    const outcome = await run(email.trim())
    if (outcome.ok) setSent(true)
  }
  if (isSent) {
    return (
      <CardPage title="Look into your mailbox">
        <p role="status">
          If <strong>{email.trim()}</strong> has a user here, a link was mailed to it. It works once, within an hour.
        </p>
        <p class="card-note">Nothing came? Look into the spam folder, or ask again in a minute.</p>
        <Link href="/login">Log in</Link>
      </CardPage>
    )
  }
  const problem = error === undefined || fieldError(error, "email") !== undefined ? undefined : describe(error)
  return (
    <CardPage title="Forgotten password">
      <p>Enter the address that you log in with. You get a link with which you choose another password.</p>
      <Form onSubmit={() => void ask()} problem={problem}>
        <LogInEmailField error={fieldError(error, "email")} value={email} onValue={setEmail} />
        <Button kind="primary" type="submit" wide busy={isPending} disabled={email.trim() === ""}>
          Mail me a link
        </Button>
      </Form>
      <Link href="/login">Log in</Link>
    </CardPage>
  )
}
