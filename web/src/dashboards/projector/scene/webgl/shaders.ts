// What runs on the graphics card: one dot, ring or picked row per point, and lines between points.

/** From a place to the screen: relative to the camera's target, where 32 bits are precise enough. */
const PLACE = `
uniform vec3 target;
uniform vec4 alongX, alongY, alongW;
uniform vec2 sizePx;
uniform float part, distance, nearest, farthest;
uniform bool isDeep;
vec4 locate(vec3 place, vec3 start) {
  vec4 at = vec4(mix(start, place, part) - target, 1.0);
  float w = dot(alongW, at);
  vec2 px = vec2(dot(alongX, at), dot(alongY, at));
  float depth = isDeep ? (w - nearest) / (farthest - nearest) * 2.0 - 1.0 : 0.0;
  return vec4(2.0 * px.x / sizePx.x - w, w - 2.0 * px.y / sizePx.y, depth * w, w);
}
float fog(float w) {
  return isDeep ? clamp(1.45 - 0.5 * (w / distance) * (w / distance), 0.5, 1.0) : 1.0;
}`;

export const POINT_VERTEX = `#version 300 es
precision highp float;
precision highp int;
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 start;
layout(location = 2) in vec4 color;
${PLACE}
uniform float radius, ring, opacity;
uniform vec4 paint;
uniform bool isPicking;
out vec4 inside;
out float radiusHere;
void main() {
  gl_Position = locate(place, start);
  float w = gl_Position.w;
  radiusHere = radius * (isDeep ? clamp(distance / w, 0.5, 4.0) : 1.0);
  gl_PointSize = 2.0 * (radiusHere + ring / 2.0) + 1.0;
  if (isPicking) {
    int id = gl_VertexID + 1;
    inside = vec4(id & 255, (id >> 8) & 255, (id >> 16) & 255, (id >> 24) & 255) / 255.0;
  } else {
    vec3 own = paint.a > 0.0 ? paint.rgb : color.rgb;
    inside = vec4(own, opacity * fog(w));
  }
}`;

export const POINT_FRAGMENT = `#version 300 es
precision highp float;
in vec4 inside;
in float radiusHere;
uniform float ring;
uniform bool isPicking;
out vec4 pixel;
void main() {
  float size = 2.0 * (radiusHere + ring / 2.0) + 1.0;
  float far = length(gl_PointCoord - 0.5) * size;
  float covered = ring > 0.0 ? ring / 2.0 + 0.5 - abs(far - radiusHere) : radiusHere + 0.5 - far;
  covered = clamp(covered, 0.0, radiusHere < 0.5 && ring == 0.0 ? radiusHere * 2.0 : 1.0);
  if (covered <= 0.02) discard;
  if (isPicking) {
    pixel = inside;
    return;
  }
  float opacity = inside.a * covered;
  pixel = vec4(inside.rgb * opacity, opacity);
}`;

export const LINE_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 start;
layout(location = 2) in vec4 color;
${PLACE}
uniform float opacity;
out vec4 inside;
void main() {
  gl_Position = locate(place, start);
  inside = vec4(color.rgb, opacity * fog(gl_Position.w));
}`;

export const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 inside;
out vec4 pixel;
void main() {
  pixel = vec4(inside.rgb * inside.a, inside.a);
}`;
