// The palette: strong, middle and pale tones, each with its name, and any other colour.

export const PALETTE = [
  ["black", "#000000"], ["dark_grey", "#4d4d4d"], ["grey", "#808080"], ["light_grey", "#cccccc"], ["white", "#ffffff"],
  ["dark_red", "#990000"], ["red", "#d92121"], ["orange", "#e67e00"], ["yellow", "#ffd400"], ["light_yellow", "#fff4b8"],
  ["dark_green", "#1b5e20"], ["green", "#2e9e44"], ["light_green", "#d3f2d8"], ["teal", "#00796b"], ["light_teal", "#cdeeea"],
  ["dark_blue", "#0d3b80"], ["blue", "#1a6fd4"], ["light_blue", "#d4e6fb"], ["purple", "#7b2fa8"], ["light_purple", "#ead7f5"],
];
