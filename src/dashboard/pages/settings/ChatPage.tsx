import { type ChannelJson, channels } from "../../api/channels.ts"
import { useQuery } from "../../api/query.ts"
import { dropQuery, querySetter, useLocation } from "../../shared/router.tsx"
import { Copyable } from "../../ui/controls/Copyable.tsx"
import { useOpen } from "../../ui/useOpen.ts"
import { ChannelDialog } from "./ChannelDialog.tsx"
import { ChannelLog } from "./ChannelLog.tsx"
import { ChannelRow } from "./ChannelRow.tsx"
import { SettingsList } from "./SettingsList.tsx"

const example = `curl ${window.location.origin}/v1/channels \\
  -H 'Authorization: Bearer sps_…' \\
  -H 'Content-Type: application/json' \\
  -d '{"kind":"slack","name":"#social","url":"https://hooks.slack.com/services/…"}'`

const empty = {
  icon: "bell",
  title: "No channels",
  text: (
    <>
      <p>
        A channel of Slack, Discord or Mattermost gets what needs somebody: posts that failed, accounts to connect
        again, posts that wait for approval. A program with a key that may manage webhooks can add one too:
      </p>
      <Copyable label="A command that adds a channel" text={example} block />
    </>
  )
} as const

export const Page = () => {
  const list = useQuery(channels)
  const form = useOpen<{ readonly channel: ChannelJson | undefined }>()
  const shownId = useLocation().query.get("messages")
  const all = list.data?.data
  const shown = all?.find(({ id }) => id === shownId)
  return (
    <SettingsList
      description="Send notifications to channels of Slack, Discord or Mattermost"
      list={list}
      count={all?.length}
      add={{ label: "New channel", onClick: () => form.open({ channel: undefined }) }}
      empty={empty}
    >
      {all !== undefined && all.length > 0 && (
        <ul class="settings-list">
          {all.map((channel) => (
            <ChannelRow
              key={channel.id}
              channel={channel}
              onEdit={() => form.open({ channel })}
              onLog={querySetter({ messages: channel.id })}
            />
          ))}
        </ul>
      )}
      {form.opened !== undefined && <ChannelDialog {...form.opened} onClose={form.close} />}
      {shown !== undefined && <ChannelLog channel={shown} onClose={() => dropQuery("messages")} />}
    </SettingsList>
  )
}
