import { useEffect, useState } from "preact/hooks"
import { minPasswordLength } from "../../../domain/plain/limits.ts"
import { describeFailure, type Failure, fieldError } from "../../api/errors.ts"
import { acceptInvite, readInvite, type ShownInviteJson } from "../../api/members.ts"
import { clearQueries, useMutation } from "../../api/query.ts"
import { CardPage } from "../../shared/page/CardPage.tsx"
import { Link, navigate, useLocation } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Field, PasswordInput } from "../../ui/controls/Field.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"

const describe = (error: Failure): string =>
  error._tag === "ApiError" && error.status === 404
    ? "This invitation was used or taken back, or it is older than 72 hours. Ask for another one."
    : describeFailure(error)

const hasCode = (error: Failure, code: string): boolean => error._tag === "ApiError" && error.code === code

const isLoginRequired = (error: Failure): boolean => hasCode(error, "login_required")

/** True if the address has a different password. */
const isTaken = (error: Failure): boolean => hasCode(error, "unauthorized")

/** Offers both ways in: only the owner of the address may learn whether it has a password. */
const Invitation = ({ token }: { readonly token: string }) => {
  const [invite, setInvite] = useState<ShownInviteJson>()
  const [password, setPassword] = useState("")
  const [way, setWay] = useState<"choose" | "logIn">("choose")
  const [isAsked, setAsked] = useState(false)
  const [loadError, setLoadError] = useState<Failure>()
  const joining = useMutation((secret: string | undefined) => acceptInvite(token, secret))

  useEffect(() => {
    let isCurrent = true
    const read = async () => {
      const outcome = await readInvite(token)
      if (!isCurrent) return
      if (outcome.ok) setInvite(outcome.data.data)
      else setLoadError(outcome.error)
    }
    void read()
    return () => {
      isCurrent = false
    }
  }, [token])

  const go = (next: typeof way) => {
    setWay(next)
    setPassword("")
    joining.reset()
  }
  const accept = async () => {
    const outcome = await joining.run(password === "" ? undefined : password)
    if (!outcome.ok) {
      if (isLoginRequired(outcome.error)) setAsked(true)
      return
    }
    clearQueries()
    navigate("/", { replace: true })
  }

  if (invite === undefined) {
    return (
      <CardPage title="Invitation">
        {loadError === undefined ? (
          <>
            <Loading />
            <Skeleton lines={3} />
          </>
        ) : (
          <>
            <FormError>{describe(loadError)}</FormError>
            <Link href="/login">Log in</Link>
          </>
        )}
      </CardPage>
    )
  }
  const { email, role, workspace_name: workspace } = invite
  const { isPending } = joining
  const isChoosing = way === "choose"
  const error = joining.error !== undefined && isLoginRequired(joining.error) ? undefined : joining.error
  // The service decides if it needs a password: the person may be logged in.
  const needsPassword = isChoosing || isAsked
  return (
    <CardPage title={`Join ${workspace}`}>
      <p>
        You are invited as {role}, with the address <strong>{email}</strong>.
      </p>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void accept()
        }}
      >
        {error !== undefined && fieldError(error, "password") === undefined && (
          <FormError>
            {isChoosing && isTaken(error)
              ? "This address has another password here. Log in with that one."
              : describe(error)}
          </FormError>
        )}
        {/* Lets password managers store the address with the password. */}
        <input
          type="email"
          class="only-read"
          autocomplete="username"
          value={email}
          readOnly
          tabindex={-1}
          aria-hidden
        />
        {needsPassword && (
          <Field
            key={way}
            label={isChoosing ? "Choose a password" : "Your password"}
            hint={isChoosing ? `At least ${minPasswordLength} characters` : undefined}
            error={fieldError(error, "password")}
          >
            {(control) => (
              <PasswordInput
                {...control}
                value={password}
                autocomplete={isChoosing ? "new-password" : "current-password"}
                isFirst
                onValue={setPassword}
              />
            )}
          </Field>
        )}
        <Button
          kind="primary"
          type="submit"
          wide
          busy={isPending}
          disabled={needsPassword && password.length < minPasswordLength}
        >
          {isChoosing ? "Join" : "Log in and join"}
        </Button>
        <Button
          kind="quiet"
          wide
          onClick={() => {
            go(isChoosing ? "logIn" : "choose")
          }}
        >
          {isChoosing ? "I have a password here: log in" : "I have no password here yet"}
        </Button>
      </form>
    </CardPage>
  )
}

/** The secret is in the link's fragment, which servers never log. */
export const Page = () => {
  const token = useLocation().fragment
  return token === "" ? (
    <CardPage title="Invitation">
      <p>The link is incomplete. Open it again as it was sent to you.</p>
    </CardPage>
  ) : (
    // Another link is another invitation, so the state starts over.
    <Invitation key={token} token={token} />
  )
}
