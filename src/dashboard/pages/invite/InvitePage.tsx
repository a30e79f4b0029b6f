import { useEffect, useState } from "preact/hooks"
import { describeFailure, type Failure, fieldError } from "../../api/errors.ts"
import { acceptInvite, readInvite, type ShownInviteJson } from "../../api/members.ts"
import { forgetIdentity } from "../../api/identity.ts"
import { clearQueries } from "../../api/query.ts"
import { Card } from "../../app/Card.tsx"
import { Link, navigate, useLocation } from "../../app/router.tsx"
import { Button } from "../../ui/Button.tsx"
import { Field, PasswordInput } from "../../ui/Field.tsx"
import { FormError } from "../../ui/FormError.tsx"
import { Loading, Skeleton } from "../../ui/Skeleton.tsx"

/** In characters, as the service requires. */
const minPasswordLength = 12

const describe = (error: Failure): string =>
  error._tag === "ApiError" && error.status === 404
    ? "This invitation was used or taken back, or it is older than 72 hours. Ask for another one."
    : describeFailure(error)

/** Becomes a member of a workspace, by the secret in the link's fragment, which no server log has. */
export const Page = () => {
  const token = useLocation().fragment
  const [invite, setInvite] = useState<ShownInviteJson>()
  const [password, setPassword] = useState("")
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<Failure>()

  useEffect(() => {
    if (token === "") return
    let isCurrent = true
    const read = async () => {
      const outcome = await readInvite(token)
      if (!isCurrent) return
      if (outcome.ok) setInvite(outcome.data.data)
      else setError(outcome.error)
    }
    void read()
    return () => {
      isCurrent = false
    }
  }, [token])

  const accept = async () => {
    setPending(true)
    setError(undefined)
    const outcome = await acceptInvite(token, password)
    setPending(false)
    if (!outcome.ok) {
      setError(outcome.error)
      return
    }
    clearQueries()
    forgetIdentity()
    navigate("/", { replace: true })
  }

  if (token === "") {
    return (
      <Card title="Invitation">
        <p>The link is not whole. Open it again as it was sent to you.</p>
      </Card>
    )
  }
  if (invite === undefined) {
    return (
      <Card title="Invitation">
        {error === undefined ? (
          <>
            <Loading />
            <Skeleton lines={3} />
          </>
        ) : (
          <>
            <FormError>{describe(error)}</FormError>
            <Link href="/login">Log in</Link>
          </>
        )}
      </Card>
    )
  }
  const { email, has_user: hasUser, role, workspace_name: workspace } = invite
  return (
    <Card title={`Join ${workspace}`}>
      <p>
        You are invited as {role}. {hasUser ? "Log in as" : "You will log in as"} <strong>{email}</strong>.
      </p>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void accept()
        }}
      >
        {error !== undefined && fieldError(error, "password") === undefined && <FormError>{describe(error)}</FormError>}
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
        <Field
          label={hasUser ? "Your password" : "Choose a password"}
          hint={hasUser ? undefined : `At least ${minPasswordLength} characters`}
          error={fieldError(error, "password")}
        >
          {(control) => (
            <PasswordInput
              {...control}
              value={password}
              autocomplete={hasUser ? "current-password" : "new-password"}
              isFirst
              onValue={setPassword}
            />
          )}
        </Field>
        <Button
          kind="primary"
          type="submit"
          wide
          busy={isPending}
          disabled={password.length < (hasUser ? 1 : minPasswordLength)}
        >
          Join
        </Button>
      </form>
    </Card>
  )
}
