-- KEYS: bitmaps. ARGV: the offset of a bit, and 1 to set it or 0 to clear it.
-- Replies with 1 if the bit changed in any bitmap, else with 0.
for _, key in ipairs(KEYS) do
  local length = redis.pcall('STRLEN', key)
  if type(length) == 'table' then return length end
end
local changed = 0
for _, key in ipairs(KEYS) do
  if redis.call('SETBIT', key, ARGV[1], ARGV[2]) ~= tonumber(ARGV[2]) then changed = 1 end
end
return changed
