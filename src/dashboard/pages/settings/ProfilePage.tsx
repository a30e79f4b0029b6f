import { useState } from "preact/hooks"
import { mutableNotifications, type Theme, themes, type WeekStart, weekStarts } from "../../../domain/plain/profile.ts"
import { describeFailure, describeRest, fieldError } from "../../api/errors.ts"
import { profile, type ProfileJson, updateProfile } from "../../api/profile.ts"
import { invalidate, setData, useMutation, useQuery } from "../../api/query.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { adoptPreferences } from "../../shared/preferences.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Checkbox, Field, Input, Select } from "../../ui/controls/Field.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
import { browserZone } from "../../ui/time/zone.ts"
import { PasswordForm } from "./PasswordForm.tsx"
import { SessionRows } from "./SessionRows.tsx"
import { SettingsLayout } from "./SettingsLayout.tsx"

const themeNames: Readonly<Record<Theme, string>> = {
  system: "Same as the system",
  light: "Light",
  dark: "Dark"
}

const weekStartNames: Readonly<Record<WeekStart, string>> = {
  monday: "Monday",
  saturday: "Saturday",
  sunday: "Sunday"
}

const notificationNames: Readonly<Record<(typeof mutableNotifications)[number], string>> = {
  "post.published": "A post was published",
  "post.approval_requested": "A post waits for approval",
  "post.draft_overdue": "A draft’s time has passed"
}

const zones = Intl.supportedValuesOf("timeZone")

type Changes = Parameters<typeof updateProfile>[0]

const send = async (changes: Changes) => {
  const outcome = await updateProfile(changes)
  if (outcome.ok) {
    setData(profile, outcome.data)
    adoptPreferences(outcome.data.data)
  }
  return outcome
}

/**
 * Each response has the whole profile, so changes are sent one after another: an older profile must not be shown last.
 */
let last: Promise<unknown> = Promise.resolve()

const save = (changes: Changes) => {
  const saved = last.then(() => send(changes))
  last = saved
  return saved
}

const choose = async (changes: Changes) => {
  const outcome = await save(changes)
  if (!outcome.ok) toast(describeFailure(outcome.error), { tone: "error" })
}

const NameForm = ({ email, name }: ProfileJson) => {
  const [typed, setTyped] = useState<string>()
  const text = typed ?? name ?? ""
  const { error, isPending, run } = useMutation(save)
  const trimmed = text.trim()
  const submit = async () => {
    const outcome = await run({ name: trimmed === "" ? null : trimmed })
    if (!outcome.ok) return
    // Input during the save stays.
    setTyped((current) => (current === typed ? undefined : current))
    // These lists show people by name.
    invalidate("/v1/me", "/v1/members", "/v1/posts")
    toast("Your name was saved", { tone: "success" })
  }
  return (
    <Form class="profile-form" problem={describeRest(error, ["name"])} onSubmit={() => void submit()}>
      <Field
        label="Name"
        hint={`Others see it instead of ${email}, the address that you log in with.`}
        error={fieldError(error, "name")}
      >
        {(control) => <Input {...control} value={text} autocomplete="name" maxLength={100} onValue={setTyped} />}
      </Field>
      <Button type="submit" busy={isPending} disabled={trimmed === (name ?? "")}>
        Save the name
      </Button>
    </Form>
  )
}

const ViewForm = ({ hours, theme, time_zone: zone, week_starts_on: weekStart }: ProfileJson) => (
  <div class="profile-fields">
    <Field label="Theme">
      {(control) => (
        <Select
          {...control}
          value={theme}
          onValue={(value) => {
            const chosen = themes.find((each) => each === value)
            if (chosen !== undefined) void choose({ theme: chosen })
          }}
        >
          {themes.map((each) => (
            <option key={each} value={each}>
              {themeNames[each]}
            </option>
          ))}
        </Select>
      )}
    </Field>
    <Field label="Clock">
      {(control) => (
        <Select
          {...control}
          value={String(hours)}
          onValue={(value) => {
            void choose({ hours: value === "12" ? 12 : 24 })
          }}
        >
          <option value="24">24 hours (14:30)</option>
          <option value="12">12 hours (2:30 PM)</option>
        </Select>
      )}
    </Field>
    <Field label="First day of the week">
      {(control) => (
        <Select
          {...control}
          value={weekStart}
          onValue={(value) => {
            const chosen = weekStarts.find((each) => each === value)
            if (chosen !== undefined) void choose({ week_starts_on: chosen })
          }}
        >
          {weekStarts.map((each) => (
            <option key={each} value={each}>
              {weekStartNames[each]}
            </option>
          ))}
        </Select>
      )}
    </Field>
    <Field
      label="Time zone"
      hint="Times are shown and entered in this zone. Posts go out at the same moment in any zone."
    >
      {(control) => (
        <Select
          {...control}
          value={zone ?? ""}
          onValue={(value) => {
            void choose({ time_zone: value === "" ? null : value })
          }}
        >
          <option value="">The browser’s ({browserZone})</option>
          {zone !== null && !zones.includes(zone) && <option value={zone}>{zone}</option>}
          {zones.map((each) => (
            <option key={each} value={each}>
              {each.replaceAll("_", " ")}
            </option>
          ))}
        </Select>
      )}
    </Field>
  </div>
)

const NotificationForm = ({ muted_notifications: muted }: ProfileJson) => {
  const { isPending, run } = useMutation(save, { invalidates: ["/v1/notifications"] })
  const mute = async (types: ProfileJson["muted_notifications"]) => {
    const outcome = await run({ muted_notifications: types })
    if (!outcome.ok) toast(describeFailure(outcome.error), { tone: "error" })
  }
  return (
    <div class="settings-choices">
      {mutableNotifications.map((type) => (
        <Checkbox
          key={type}
          label={notificationNames[type]}
          checked={!muted.includes(type)}
          disabled={isPending}
          onChange={(isWanted) => {
            const others = muted.filter((each) => each !== type)
            void mute(isWanted ? others : [...others, type])
          }}
        />
      ))}
      <p class="secondary small">
        Failures, accounts to connect again and disabled webhooks always reach everybody, as somebody has to look at
        them.
      </p>
    </div>
  )
}

export const Page = () => {
  const { data, error, isLoading, refetch } = useQuery(profile)
  const own = data?.data
  return (
    <SettingsLayout description="Your name, how you see the dashboard, and where you are logged in">
      {isLoading && (
        <>
          <Loading />
          <Skeleton height="row" lines={4} />
        </>
      )}
      <LoadError error={error} onRetry={refetch} />
      {own !== undefined && (
        <>
          <NameForm {...own} />
          <section class="settings-section" aria-labelledby="view">
            <h2 id="view">How you see the dashboard</h2>
            <ViewForm {...own} />
          </section>
          <section class="settings-section" aria-labelledby="notified">
            <h2 id="notified">What you are notified of</h2>
            <NotificationForm {...own} />
          </section>
          <section class="settings-section" aria-labelledby="password">
            <h2 id="password">Password</h2>
            <PasswordForm />
          </section>
          <section class="settings-section" aria-labelledby="sessions">
            <h2 id="sessions">Where you are logged in</h2>
            <SessionRows />
          </section>
        </>
      )}
    </SettingsLayout>
  )
}
