import { useState } from "preact/hooks"
import { alwaysLive, platformName } from "../../../domain/plain/platforms.ts"
import { describeFailure, describeWait, type Failure, hasCode } from "../../api/errors.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { offersDemo } from "../../api/examples.ts"
import { clearQueries } from "../../api/query.ts"
import { logIn, logInAsDemo } from "../../api/session.ts"
import { CardPage } from "../../shared/page/CardPage.tsx"
import { Link, navigate, safeTarget, useLocation } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { LogInEmailField, PasswordField } from "../../ui/controls/TextField.tsx"
import { useCountdown } from "../../ui/time/useCountdown.ts"

const describe = (error: Failure): string => {
  if (hasCode(error, "no_workspace")) return "You are not a member of any workspace. Ask an admin for an invitation."
  if (hasCode(error, "unauthorized")) return "The email address or the password is wrong."
  if (hasCode(error, "invalid_request")) return "Check the email address and the password."
  return describeFailure(error)
}

type Way = "demo" | "form"

/** The state of the log-in form, which has to wait after too many attempts. */
const useLogIn = () => {
  const { query } = useLocation()
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const [pending, setPending] = useState<Way>()
  const [error, setError] = useState<Failure>()
  const [blockedUntil, setBlockedUntil] = useState<number>()
  const [tried, setTried] = useState(false)
  const wait = useCountdown(blockedUntil)

  const send = async (way: Way) => {
    setPending(way)
    setError(undefined)
    const outcome = await (way === "form" ? logIn(email.trim(), password) : logInAsDemo())
    setPending(undefined)
    if (outcome.ok) {
      clearQueries()
      navigate(safeTarget(query.get("next")), { replace: true })
      return
    }
    const { error: failure } = outcome
    const isThrottled = failure._tag === "ApiError" && failure.status === 429
    setBlockedUntil(isThrottled ? Date.now() + (failure.retryAfter ?? 60) * 1000 : undefined)
    setError(isThrottled ? undefined : failure)
    setTried(false)
    // Whoever did not get an answer, or has to wait, need not type it again.
    if (hasCode(failure, "unauthorized")) setPassword("")
  }
  const isMissing = email.trim() === "" || password === ""
  return {
    email: { value: email, onValue: setEmail },
    password: { value: password, onValue: setPassword },
    emailError: tried && email.trim() === "" ? "Enter your email address." : fieldError(error, "email"),
    passwordError: tried && password === "" ? "Enter your password." : fieldError(error, "password"),
    hasEnded: query.has("ended") && error === undefined && wait === 0,
    pending,
    error,
    wait,
    submit: () => {
      if (pending !== undefined || wait > 0) return
      if (isMissing) setTried(true)
      else void send("form")
    },
    enterDemo: () => {
      if (pending === undefined) void send("demo")
    }
  }
}

type LogIn = ReturnType<typeof useLogIn>

const LogInForm = ({ email, emailError, error, hasEnded, password, passwordError, pending, submit, wait }: LogIn) => (
  <Form onSubmit={submit}>
    {hasEnded && (
      <p class="card-note" role="status">
        Your session has ended: it expired, was ended elsewhere, or you are no longer a member of the workspace. Log in
        again; what you typed is kept.
      </p>
    )}
    {wait > 0 && (
      <FormError>
        Too many attempts came from your address. Try again in <span class="numbers">{describeWait(wait)}</span>.
      </FormError>
    )}
    {error !== undefined && <FormError>{describe(error)}</FormError>}
    <LogInEmailField error={emailError} {...email} />
    <PasswordField
      label="Password"
      error={passwordError}
      name="password"
      autocomplete="current-password"
      {...password}
    />
    <Button kind="primary" type="submit" wide busy={pending === "form"} disabled={wait > 0 || pending === "demo"}>
      Log in
    </Button>
  </Form>
)

export const Page = () => {
  const state = useLogIn()
  const { enterDemo, pending } = state
  return (
    <CardPage title="Log in">
      <LogInForm {...state} />
      <Link href="/password">I have forgotten my password</Link>
      {offersDemo && (
        <>
          <div class="divider">or</div>
          <Button wide busy={pending === "demo"} disabled={pending === "form"} onClick={enterDemo}>
            Continue as demo
          </Button>
          <p class="card-note">This is a sandbox. Nothing here reaches {alwaysLive.map(platformName).join(" or ")}.</p>
        </>
      )}
    </CardPage>
  )
}
