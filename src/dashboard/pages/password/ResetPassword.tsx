import { useState } from "preact/hooks"
import { minPasswordLength } from "../../../domain/plain/limits.ts"
import { describeFailure, type Failure, hasStatus } from "../../api/errors.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { choosePassword } from "../../api/passwords.ts"
import { clearQueries, useMutation } from "../../api/query.ts"
import { CardPage } from "../../shared/page/CardPage.tsx"
import { Link } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { PasswordField } from "../../ui/controls/TextField.tsx"

const describe = (error: Failure): string =>
  hasStatus(error, 404)
    ? "This link was used, or it is older than an hour. Ask for another one."
    : describeFailure(error)

export const ResetPassword = ({ token }: { readonly token: string }) => {
  const [password, setPassword] = useState("")
  const [isDone, setDone] = useState(false)
  const { error, isPending, run } = useMutation((secret: string) => choosePassword(token, secret))
  const choose = async () => {
    const outcome = await run(password)
    if (!outcome.ok) return
    clearQueries()
    setDone(true)
  }
  if (isDone) {
    return (
      <CardPage title="Your password was changed">
        <p role="status">All of your sessions have ended. Log in with the new password.</p>
        <Link href="/login">Log in</Link>
      </CardPage>
    )
  }
  const problem = error === undefined || fieldError(error, "password") !== undefined ? undefined : describe(error)
  return (
    <CardPage title="Choose another password">
      <Form onSubmit={() => void choose()} problem={problem}>
        <PasswordField
          label="New password"
          hint={`At least ${minPasswordLength} characters`}
          error={fieldError(error, "password")}
          value={password}
          autocomplete="new-password"
          isFirst
          onValue={setPassword}
        />
        <Button kind="primary" type="submit" wide busy={isPending} disabled={password.length < minPasswordLength}>
          Change the password
        </Button>
      </Form>
      <Link href="/password">Ask for another link</Link>
    </CardPage>
  )
}
