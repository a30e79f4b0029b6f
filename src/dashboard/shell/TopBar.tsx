import { useCan, useMe } from "../shared/me.ts"
import { roleNames } from "../shared/roles.ts"
import { Link, navigate } from "../shared/router.tsx"
import { Menu } from "../ui/controls/Menu.tsx"
import { Avatar } from "../ui/display/Avatar.tsx"
import { Icon } from "../ui/Icon.tsx"
import { changeWorkspace, leave } from "./session.ts"
import { Keys, openShortcutHelp } from "./ShortcutHelp.tsx"
import { useExamples } from "./useExamples.tsx"

const WorkspaceName = ({ name }: { readonly name: string }) => (
  <>
    <span class="workspace-mark" aria-hidden="true">
      {name.slice(0, 1).toUpperCase()}
    </span>
    <span class="workspace-name truncate">{name}</span>
  </>
)

const WorkspaceSwitch = () => {
  const { workspace, workspaces } = useMe()
  if (workspaces.length < 2) {
    return (
      <div class="workspace">
        <WorkspaceName name={workspace.name} />
      </div>
    )
  }
  return (
    <Menu
      label="Workspaces"
      trigger={(props) => (
        <button type="button" class="workspace workspace-button" title="Change the workspace" {...props}>
          <WorkspaceName name={workspace.name} />
          <Icon name="chevronDown" size={14} />
        </button>
      )}
      groups={[
        workspaces.map(({ id, name }) => ({
          label: name,
          checked: id === workspace.id,
          onSelect: () => {
            if (id !== workspace.id) void changeWorkspace(id)
          }
        }))
      ]}
    />
  )
}

const PersonMenu = ({ examples }: { readonly examples: ReturnType<typeof useExamples> }) => {
  const { caller } = useMe()
  const name = caller.name ?? caller.email
  return (
    <Menu
      label="You"
      align="end"
      header={
        <div class="person">
          <div class="truncate">{name}</div>
          {caller.name !== null && <div class="truncate secondary small">{caller.email}</div>}
          <div class="secondary small">{roleNames[caller.role]}</div>
        </div>
      }
      trigger={(props) => (
        <button type="button" class="icon-button" aria-label={`You: ${name}`} title={name} {...props}>
          <Avatar name={name} />
        </button>
      )}
      groups={[
        [
          {
            label: "Profile",
            icon: "settings",
            onSelect: () => navigate("/settings/profile")
          },
          { label: "Shortcuts", icon: "keyboard", onSelect: openShortcutHelp, aside: <Keys keys="?" /> }
        ],
        examples.size === 0 ? [] : [{ label: `Remove ${examples.label}`, icon: "trash", onSelect: examples.remove }],
        [{ label: "Log out", icon: "logOut", onSelect: () => void leave(examples.confirm) }]
      ]}
    />
  )
}

const SandboxMark = () => (
  <a class="sandbox-mark" href="/sandbox" title="Posts go to stand-ins for the platforms, on this machine">
    Sandbox
  </a>
)

export const TopBar = ({ title }: { readonly title: string }) => {
  const can = useCan()
  const { platforms } = useMe()
  const examples = useExamples()
  return (
    <header class="topbar">
      <WorkspaceSwitch />
      <span class="topbar-title truncate" aria-hidden="true">
        {title}
      </span>
      <div class="topbar-end">
        {examples.size > 0 && (
          <button
            type="button"
            class="sandbox-mark examples-mark"
            title="Posts that show what this is. Click to remove them all."
            onClick={examples.remove}
          >
            {examples.label}
          </button>
        )}
        {platforms === "sandbox" && <SandboxMark />}
        {can("posts:write") && (
          <Link href="/compose" class="button button-primary button-small new-post" title="New post (N)">
            <Icon name="plus" />
            <span class="button-label">New post</span>
          </Link>
        )}
        <PersonMenu examples={examples} />
      </div>
      {examples.dialog}
    </header>
  )
}
