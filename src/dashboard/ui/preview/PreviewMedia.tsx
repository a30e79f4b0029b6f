import type { Preview } from "../../../platforms/Platform.ts"
import { classes } from "../classes.ts"
import { Icon } from "../Icon.tsx"

export interface ShownMedia {
  readonly id: string
  readonly type: "image" | "gif" | "video" | null
  /** A URL; undefined if there is nothing to show. */
  readonly src: string | undefined
  readonly alt: string
  readonly width?: number | null | undefined
  readonly height?: number | null | undefined
}

const One = ({ alt, height, src, type, width }: ShownMedia) => (
  <li class="preview-medium">
    {src === undefined ? (
      <span class="preview-medium-none">
        <Icon name={type === "video" ? "play" : "image"} size={20} />
        <span class="only-read">{alt === "" ? "A file that is being processed" : alt}</span>
      </span>
    ) : type === "video" ? (
      <video src={src} controls muted preload="metadata" playsInline aria-label={alt === "" ? "Video" : alt} />
    ) : (
      <img src={src} alt={alt} width={width ?? undefined} height={height ?? undefined} loading="lazy" />
    )}
    {src !== undefined && (
      <span class={classes("preview-alt", alt === "" && "preview-alt-missing")} title={alt} aria-hidden="true">
        {alt === "" ? "No alt text" : "ALT"}
      </span>
    )}
  </li>
)

interface PreviewMediaProps {
  readonly media: ReadonlyArray<ShownMedia>
  readonly grid: Preview["grid"]
}

export const PreviewMedia = ({ grid, media }: PreviewMediaProps) => (
  <ul class={classes("preview-media", `preview-media-${media.length}`, grid !== undefined && `preview-media-${grid}`)}>
    {media.map((one) => (
      <One key={one.id} {...one} />
    ))}
  </ul>
)
