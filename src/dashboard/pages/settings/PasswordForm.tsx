import { useState } from "preact/hooks"
import { minPasswordLength } from "../../../domain/plain/limits.ts"
import { describeRest } from "../../api/errors.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { changePassword } from "../../api/profile.ts"
import { useMutation } from "../../api/query.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { PasswordField } from "../../ui/controls/TextField.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"

export const PasswordForm = () => {
  const [current, setCurrent] = useState("")
  const [next, setNext] = useState("")
  const { error, isPending, run } = useMutation(() => changePassword(current, next), {
    invalidates: ["/v1/session/sessions"]
  })
  const isTooShort = next !== "" && next.length < minPasswordLength

  const submit = async () => {
    const outcome = await run(undefined)
    if (!outcome.ok) return
    setCurrent("")
    setNext("")
    toast("Your password was changed. Your other sessions have ended.", { tone: "success" })
  }

  return (
    <Form
      class="profile-form"
      problem={describeRest(error, ["current_password", "new_password"])}
      onSubmit={() => {
        if (current !== "" && next !== "" && !isTooShort) void submit()
      }}
    >
      <PasswordField
        label="Current password"
        error={fieldError(error, "current_password")}
        value={current}
        autocomplete="current-password"
        onValue={setCurrent}
      />
      <PasswordField
        label="New password"
        hint={`At least ${minPasswordLength} characters. You are logged out everywhere else.`}
        error={
          isTooShort
            ? `${minPasswordLength - next.length} more ${minPasswordLength - next.length === 1 ? "character is" : "characters are"} needed.`
            : fieldError(error, "new_password")
        }
        value={next}
        autocomplete="new-password"
        onValue={setNext}
      />
      <Button type="submit" busy={isPending} disabled={current === "" || next === "" || isTooShort}>
        Change the password
      </Button>
    </Form>
  )
}
