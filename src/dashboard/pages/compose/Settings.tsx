import { accountName, platformName } from "../../../domain/plain/platforms.ts"
import { Chip } from "../../ui/controls/Chip.tsx"
import { Field, Select } from "../../ui/controls/Field.tsx"
import { FieldErrors } from "../../ui/controls/FormError.tsx"
import { canChangePlatforms } from "./form.ts"
import { OwnSettings } from "./OwnSettings.tsx"
import { isReplies, replies } from "./replies.ts"
import { TagsInput } from "./TagsInput.tsx"
import type { EditorProps } from "./useEditor.ts"

/** The connected platforms, and those that the post already has. */
const PlatformChips = ({ editor: { accounts, connected, dispatch, platforms } }: EditorProps) => (
  <div class="compose-targets" role="group" aria-label="Platforms">
    {[...new Set([...connected, ...platforms])].map((platform) => {
      const isChosen = platforms.includes(platform)
      const account = accounts.find(platform)
      const others = platforms.filter((other) => other !== platform)
      const change = { platforms: isChosen ? others : [...others, platform] }
      return (
        <Chip
          key={platform}
          icon={isChosen ? "check" : "plus"}
          pressed={isChosen}
          onClick={() => dispatch({ type: "form", change })}
        >
          {platformName(platform)}{" "}
          {account === undefined
            ? accounts.all !== undefined && "(not connected)"
            : accountName(platform, account.username)}
        </Chip>
      )
    })}
  </div>
)

export const PlatformSettings = ({ editor }: EditorProps) => {
  const { connected, issues, platforms, post } = editor
  return (
    <>
      {connected.length > 0 && (post === undefined || canChangePlatforms(post)) && <PlatformChips editor={editor} />}
      {platforms.length === 0 ? (
        <p class="field-note">Choose at least one platform.</p>
      ) : (
        <FieldErrors errors={issues.platforms} />
      )}
    </>
  )
}

export const PostSettings = ({ editor }: EditorProps) => {
  const { dispatch, issues, platforms, post, state } = editor
  const choose = (value: string) => {
    const chosen = isReplies(value) && value !== replies.default ? value : null
    dispatch({ type: "form", change: { replies: chosen } })
  }
  return (
    <div class="compose-details">
      {platforms.includes(replies.platform) && (post === undefined || post.reply_to === null) && (
        <Field label={replies.label} error={issues.setting({ platform: replies.platform, name: replies.name })}>
          {(control) => (
            <Select {...control} value={state.form.replies ?? replies.default} onValue={choose}>
              {Object.entries(replies.choices).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <TagsInput composer={editor} error={issues.tags} />
      {(post === undefined || post.reply_to === null) &&
        platforms.map((platform) => <OwnSettings key={platform} platform={platform} editor={editor} />)}
    </div>
  )
}
