import { useState } from "preact/hooks"
import { livePlatforms, platformName } from "../../../domain/plain/platforms.ts"
import { describeFailure, describeWait, type Failure, fieldError } from "../../api/errors.ts"
import { offersDemo } from "../../api/examples.ts"
import { clearQueries } from "../../api/query.ts"
import { logIn, logInAsDemo } from "../../api/session.ts"
import { CardPage } from "../../shared/page/CardPage.tsx"
import { navigate, safeTarget, useLocation } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Field, Input, PasswordInput } from "../../ui/controls/Field.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { useCountdown } from "../../ui/time/useCountdown.ts"

const describe = (error: Failure): string => {
  if (error._tag === "ApiError") {
    if (error.code === "no_workspace") return "You are not a member of any workspace. Ask an admin for an invitation."
    if (error.code === "unauthorized") return "The email address or the password is wrong."
    if (error.code === "invalid_request") return "Check the email address and the password."
  }
  return describeFailure(error)
}

export const Page = () => {
  const { query } = useLocation()
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const [pending, setPending] = useState<"form" | "demo">()
  const [error, setError] = useState<Failure>()
  const [blockedUntil, setBlockedUntil] = useState<number>()
  const [tried, setTried] = useState(false)
  const wait = useCountdown(blockedUntil)

  const enter = async (by: "form" | "demo") => {
    if (pending !== undefined || (by === "form" && wait > 0)) return
    if (by === "form" && (email.trim() === "" || password === "")) {
      setTried(true)
      return
    }
    setPending(by)
    setError(undefined)
    const outcome = await (by === "form" ? logIn(email.trim(), password) : logInAsDemo())
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
    setPassword("")
  }

  return (
    <CardPage title="Log in">
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void enter("form")
        }}
      >
        {query.has("ended") && error === undefined && wait === 0 && (
          <p class="card-note" role="status">
            Your session has ended: it expired, was ended elsewhere, or you are no longer a member of the workspace. Log
            in again; what you typed is kept.
          </p>
        )}
        {wait > 0 && (
          <FormError>
            Too many attempts came from your address. Try again in <span class="numbers">{describeWait(wait)}</span>.
          </FormError>
        )}
        {error !== undefined && <FormError>{describe(error)}</FormError>}
        <Field
          label="Email"
          error={tried && email.trim() === "" ? "Enter your email address." : fieldError(error, "email")}
        >
          {(control) => (
            <Input
              {...control}
              type="email"
              name="email"
              value={email}
              autocomplete="username"
              autocapitalize="off"
              spellcheck={false}
              autofocus
              required
              onValue={setEmail}
            />
          )}
        </Field>
        <Field
          label="Password"
          error={tried && password === "" ? "Enter your password." : fieldError(error, "password")}
        >
          {(control) => (
            <PasswordInput
              {...control}
              name="password"
              value={password}
              autocomplete="current-password"
              onValue={setPassword}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" wide busy={pending === "form"} disabled={wait > 0 || pending === "demo"}>
          Log in
        </Button>
      </form>
      {offersDemo && (
        <>
          <div class="divider">or</div>
          <Button wide busy={pending === "demo"} disabled={pending === "form"} onClick={() => void enter("demo")}>
            Continue as demo
          </Button>
          <p class="card-note">
            This is a sandbox. Nothing here reaches {livePlatforms.map(platformName).join(" or ")}.
          </p>
        </>
      )}
    </CardPage>
  )
}
