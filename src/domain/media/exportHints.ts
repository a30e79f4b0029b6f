/** The step that makes a refused file fit, for people and agents. Each follows the refusal. */
export const exportHints = {
  type: "export it as MP4",
  size: "make it shorter, or export it with a lower bit rate",
  sides: "export it smaller, such as 1920x1080",
  ratio: "crop it",
  frames: "shorten it, or add it as a video",
  frameRate: "export it with 30 or 60 frames per second",
  long: "cut it",
  videoCodec:
    "export it as H.264. iPhones record H.264 if Settings, Camera, Formats is Most Compatible; the Photos app exports it",
  sound: "export its sound as AAC-LC in stereo",
  chroma: "export it as H.264, High profile, 4:2:0 (in ffmpeg: -pix_fmt yuv420p)",
  interlaced: "export it as progressive, deinterlaced",
  pixels: "export it with square pixels (a pixel aspect ratio of 1:1)",
  groups: "export it with closed groups of pictures (in ffmpeg: -flags +cgop)",
  bitDepth: "export it with 8 bits, without HDR (in ffmpeg: -pix_fmt yuv420p)",
  keyframes: "export it with a keyframe every 2 seconds"
} as const
