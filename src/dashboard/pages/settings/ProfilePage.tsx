import type { ComponentChildren } from "preact"
import { useMemo, useState } from "preact/hooks"
import { mutableNotifications, type Theme, themes, type WeekStart, weekStarts } from "../../../domain/plain/profile.ts"
import { describeRest } from "../../api/errors.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { profile, type ProfileJson, updateProfile } from "../../api/profile.ts"
import { invalidate, setData, useMutation, useQuery } from "../../api/query.ts"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { adoptPreferences } from "../../shared/preferences.ts"
import { sayFailure } from "../../shared/report.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Checkbox, Field } from "../../ui/controls/Field.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { SelectOne, type SelectOneProps } from "../../ui/controls/SelectOne.tsx"
import { TextField } from "../../ui/controls/TextField.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { browserZone } from "../../ui/time/zone.ts"
import { PasswordForm } from "./PasswordForm.tsx"
import { SessionRows } from "./SessionRows.tsx"
import { SettingsLayout } from "./SettingsLayout.tsx"
import { knownZones, zoneOptions } from "./zoneOptions.ts"

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

const themeOptions = themes.map((theme) => [theme, themeNames[theme]] as const)
const clockOptions = [
  [24, "24 hours (14:30)"],
  [12, "12 hours (2:30 PM)"]
] as const
const weekStartOptions = weekStarts.map((day) => [day, weekStartNames[day]] as const)

type Changes = Parameters<typeof updateProfile>[0]

const send = async (changes: Changes) => {
  const outcome = await updateProfile(changes)
  if (outcome.ok) {
    setData(profile, outcome.data)
    adoptPreferences(outcome.data.data)
  }
  return outcome
}

/** Saves are sent one at a time, so that the last response contains the latest profile. */
let last: Promise<unknown> = Promise.resolve()

const save = (changes: Changes) => {
  const saved = last.then(() => send(changes))
  last = saved
  return saved
}

const choose = async (changes: Changes) => {
  const outcome = await save(changes)
  if (!outcome.ok) sayFailure(outcome.error)
}

const NameForm = ({ email, name }: ProfileJson) => {
  const [typed, setTyped] = useState<string>()
  const text = typed ?? name ?? ""
  const { error, isPending, run } = useMutation(save)
  const trimmed = text.trim()
  const submit = async () => {
    const outcome = await run({ name: trimmed === "" ? null : trimmed })
    if (!outcome.ok) return
    // Keeps text that was typed during the save.
    setTyped((current) => (current === typed ? undefined : current))
    // These paths contain people's names.
    invalidate("/v1/me", "/v1/members", "/v1/posts")
    toast("Your name was saved", { tone: "success" })
  }
  return (
    <Form class="profile-form" problem={describeRest(error, ["name"])} onSubmit={() => void submit()}>
      <TextField
        label="Name"
        hint={`Others see it instead of ${email}, the address that you log in with.`}
        error={fieldError(error, "name")}
        value={text}
        autocomplete="name"
        maxLength={100}
        onValue={setTyped}
      />
      <Button type="submit" busy={isPending} disabled={trimmed === (name ?? "")}>
        Save the name
      </Button>
    </Form>
  )
}

/** The empty value is the browser's zone. */
const useZoneOptions = (chosen: string | null) =>
  useMemo(
    () => [["", `The browser’s (${browserZone})`] as const, ...zoneOptions(knownZones, chosen, Date.now())],
    [chosen]
  )

interface PreferenceProps<A extends number | string> extends Pick<SelectOneProps<A>, "options" | "value"> {
  readonly label: string
  readonly hint?: string
  readonly changes: (chosen: A) => Changes
}

const Preference = <A extends number | string>({ changes, hint, label, ...choice }: PreferenceProps<A>) => (
  <Field label={label} hint={hint}>
    {(control) => <SelectOne {...control} {...choice} onChoose={(chosen) => void choose(changes(chosen))} />}
  </Field>
)

const ViewForm = ({ hours, theme, time_zone: zone, week_starts_on: weekStart }: ProfileJson) => (
  <div class="profile-fields">
    <Preference label="Theme" value={theme} options={themeOptions} changes={(chosen) => ({ theme: chosen })} />
    <Preference label="Clock" value={hours} options={clockOptions} changes={(chosen) => ({ hours: chosen })} />
    <Preference
      label="First day of the week"
      value={weekStart}
      options={weekStartOptions}
      changes={(chosen) => ({ week_starts_on: chosen })}
    />
    <Preference
      label="Time zone"
      hint="Times are shown and entered in this zone. Posts go out at the same moment in any zone."
      value={zone ?? ""}
      options={useZoneOptions(zone)}
      changes={(chosen) => ({ time_zone: chosen === "" ? null : chosen })}
    />
  </div>
)

const NotificationForm = ({ muted_notifications: muted }: ProfileJson) => {
  const { isPending, run } = useMutation(save, { invalidates: ["/v1/notifications"] })
  const mute = async (types: ProfileJson["muted_notifications"]) => {
    const outcome = await run({ muted_notifications: types })
    if (!outcome.ok) sayFailure(outcome.error)
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

interface SectionProps {
  readonly id: string
  readonly title: string
  readonly children: ComponentChildren
}

const Section = ({ children, id, title }: SectionProps) => (
  <section class="settings-section" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

export const Page = () => {
  const loaded = useQuery(profile)
  const own = loaded.data?.data
  return (
    <SettingsLayout description="Your name, how you see the dashboard, and where you are logged in">
      <LoadState of={loaded} height="row" lines={4} />
      {own !== undefined && (
        <>
          <NameForm {...own} />
          <Section id="view" title="How you see the dashboard">
            <ViewForm {...own} />
          </Section>
          <Section id="notified" title="What you are notified of">
            <NotificationForm {...own} />
          </Section>
          <Section id="password" title="Password">
            <PasswordForm />
          </Section>
          <Section id="sessions" title="Where you are logged in">
            <SessionRows />
          </Section>
        </>
      )}
    </SettingsLayout>
  )
}
