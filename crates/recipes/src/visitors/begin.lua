-- KEYS: the keys that record the form of a bucket, one for each form; the one to set; and for the first visit the counter,
-- and the shard if the form has shards. ARGV: the value to set, the time until which the keys are kept, and the number of
-- forms.
-- Replies with 1 if the key was set, and with 0 if the bucket already has a form.
local forms = tonumber(ARGV[3])
local form, counter, shard = KEYS[forms + 1], KEYS[forms + 2], KEYS[forms + 3]
if redis.call('EXISTS', unpack(KEYS, 1, forms)) > 0 then return 0 end
if is_over(ARGV[2]) then return NOT_KEPT end
if shard then
  local found = redis.pcall('SCARD', shard)
  if type(found) == 'table' then return found end
end
if counter then
  local why_not = refusal(counter, 1)
  if why_not then return why_not end
end
redis.call('SET', form, ARGV[1])
if ARGV[2] ~= '' then redis.call('PEXPIREAT', form, ARGV[2]) end
return 1
