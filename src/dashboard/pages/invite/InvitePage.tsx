import { useEffect, useState } from "preact/hooks"
import { minPasswordLength } from "../../../domain/plain/limits.ts"
import { describeFailure, type Failure, hasCode, hasStatus } from "../../api/errors.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { acceptInvite, readInvite, type ShownInviteJson } from "../../api/members.ts"
import { clearQueries, useMutation } from "../../api/query.ts"
import { CardPage } from "../../shared/page/CardPage.tsx"
import { Link, navigate, useLocation } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { PasswordField } from "../../ui/controls/TextField.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"

const describe = (error: Failure): string =>
  hasStatus(error, 404)
    ? "This invitation was used or taken back, or it is older than 72 hours. Ask for another one."
    : describeFailure(error)

const isLoginRequired = (error: Failure): boolean => hasCode(error, "login_required")

const isTaken = (error: Failure): boolean => hasCode(error, "unauthorized")

/** `useQuery` can't read it, because the request is a POST with the secret in its body. */
const useInvite = (token: string) => {
  const [invite, setInvite] = useState<ShownInviteJson>()
  const [error, setError] = useState<Failure>()
  useEffect(() => {
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
  return { invite, error }
}

/**
 * Somebody who already has a user may be logged in, which only the service knows. So the form asks for that user's
 * password only after a `login_required`.
 */
const useJoining = (token: string) => {
  const [password, setPassword] = useState("")
  const [isChoosing, setChoosing] = useState(true)
  const [isAsked, setAsked] = useState(false)
  const joining = useMutation((secret: string | undefined) => acceptInvite(token, secret))
  const accept = async () => {
    const outcome = await joining.run(password === "" ? undefined : password)
    if (!outcome.ok) {
      if (isLoginRequired(outcome.error)) setAsked(true)
      return
    }
    clearQueries()
    navigate("/", { replace: true })
  }
  return {
    password,
    setPassword,
    isChoosing,
    needsPassword: isChoosing || isAsked,
    isPending: joining.isPending,
    error: joining.error !== undefined && isLoginRequired(joining.error) ? undefined : joining.error,
    accept: () => void accept(),
    changeWay: () => {
      setChoosing(!isChoosing)
      setPassword("")
      joining.reset()
    }
  }
}

/** Offers both ways, because only the owner of the address may learn if it has a user. */
const JoinForm = ({ email, token }: { readonly email: string; readonly token: string }) => {
  const { accept, changeWay, error, isChoosing, isPending, needsPassword, password, setPassword } = useJoining(token)
  const problem =
    error === undefined || fieldError(error, "password") !== undefined
      ? undefined
      : isChoosing && isTaken(error)
        ? "This address has another password here. Log in with that one."
        : describe(error)
  return (
    <Form onSubmit={accept} problem={problem}>
      {/* Lets password managers store the address with the password. */}
      <input type="email" class="only-read" autocomplete="username" value={email} readOnly tabindex={-1} aria-hidden />
      {needsPassword && (
        <PasswordField
          key={isChoosing ? "choose" : "logIn"}
          label={isChoosing ? "Choose a password" : "Your password"}
          hint={isChoosing ? `At least ${minPasswordLength} characters` : undefined}
          error={fieldError(error, "password")}
          value={password}
          autocomplete={isChoosing ? "new-password" : "current-password"}
          isFirst
          onValue={setPassword}
        />
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
      <Button kind="quiet" wide onClick={changeWay}>
        {isChoosing ? "I have a password here: log in" : "I have no password here yet"}
      </Button>
    </Form>
  )
}

const Invitation = ({ token }: { readonly token: string }) => {
  const { error, invite } = useInvite(token)
  if (invite !== undefined) {
    return (
      <CardPage title={`Join ${invite.workspace_name}`}>
        <p>
          You are invited as {invite.role}, with the address <strong>{invite.email}</strong>.
        </p>
        <JoinForm email={invite.email} token={token} />
      </CardPage>
    )
  }
  return (
    <CardPage title="Invitation">
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
    </CardPage>
  )
}

/** Browsers do not send a link's fragment, so no server logs the secret. */
export const Page = () => {
  const token = useLocation().fragment
  return token === "" ? (
    <CardPage title="Invitation">
      <p>The link is incomplete. Open it again as it was sent to you.</p>
    </CardPage>
  ) : (
    // Another link is another invitation, so the key discards the state.
    <Invitation key={token} token={token} />
  )
}
