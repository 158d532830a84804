-- KEYS: bitmaps. ARGV: the index of a byte.
-- Replies with this byte of each bitmap, or with an empty string if the bitmap is shorter.
local bytes = {}
for i, key in ipairs(KEYS) do
  local byte = redis.pcall('GETRANGE', key, ARGV[1], ARGV[1])
  if type(byte) == 'table' then return byte end
  bytes[i] = byte
end
return bytes
